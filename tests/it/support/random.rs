//! Reproducible random numbers. The rule: all of them come from one seed, and a failing test prints it.

use tidings::model::Instant;

/// Runs this seed only.
const SEED: &str = "TIDINGS_SEED";
/// How many seeds each test runs.
const SEEDS: &str = "TIDINGS_SEEDS";
/// The first seed; `scripts/torture` starts elsewhere each time.
const FIRST_SEED: &str = "TIDINGS_FIRST_SEED";

/// How often each server is killed.
const KILL_CYCLES: &str = "TIDINGS_KILL_CYCLES";

/// How long each crowd of editors works; without it, the number of its mutations bounds a crowd.
const CROWD_MINUTES: &str = "TIDINGS_CROWD_MINUTES";

/// How many mutations have to reach all who listen, of whom there are many then.
const REACHED_MUTATIONS: &str = "TIDINGS_REACHED_MUTATIONS";

/// How many subscribers wait at once.
const LISTENERS: &str = "TIDINGS_LISTENERS";

/// After how many changes a partial build of a site is compared with a whole one.
const REBUILDS: &str = "TIDINGS_REBUILDS";

/// If set, every interleaving is run, not a part of them.
const ALL: &str = "TIDINGS_ALL_INTERLEAVINGS";
/// At most this many steps lie between two interleavings that are run, on average fewer, so that a run takes minutes, not hours.
const STRIDE_MAX: usize = 8;

/// SplitMix64 ("Fast splittable pseudorandom number generators", Steele, Lea and Flood, 2014).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// 0 to `end` - 1.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub fn instant(&mut self, from: &[&str]) -> Instant {
        self.pick(from).parse().expect("an instant")
    }

    /// A generator of its own, so that draws in one part do not change another part.
    pub fn part(&mut self) -> Self {
        Self(self.bits())
    }
}

#[expect(clippy::disallowed_methods, reason = "a test run's own setting")]
fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

/// The steps to the next interleaving that is run: 1 if all are to be run.
pub fn stride(random: &mut Random) -> usize {
    if number(ALL).is_some() { 1 } else { 1 + random.below(STRIDE_MAX) }
}

/// As [`stride`], but wider, for a test with many interleavings.
pub fn wide_stride(random: &mut Random) -> usize {
    if number(ALL).is_some() { 1 } else { 2 + random.below(3 * STRIDE_MAX) }
}

/// How often a test kills its servers.
pub fn cycles(usual: usize) -> usize {
    number(KILL_CYCLES).map_or(usual, |cycles| cycles as usize)
}

/// For how many minutes a crowd works.
pub fn crowd_minutes() -> Option<u64> {
    number(CROWD_MINUTES)
}

/// How many mutations a long run makes.
pub fn reached_mutations() -> Option<usize> {
    number(REACHED_MUTATIONS).map(|mutations| mutations as usize)
}

/// How many subscribers a long run has; a multiple of the number of their queries.
pub fn listeners() -> usize {
    number(LISTENERS).map_or(10_000, |listeners| listeners as usize)
}

/// How many changes a site gets, and how often its files are compared meanwhile.
pub fn rebuilds() -> (String, String) {
    let (changes, builds) = number(REBUILDS).map_or((12, 0), |changes| (changes, changes.div_ceil(150)));
    (changes.to_string(), builds.to_string())
}

/// The seeds of a test: as many as `scripts/test` has time for, or as the settings say.
pub fn seeds(usual: u64) -> Vec<u64> {
    match number(SEED) {
        Some(seed) => vec![seed],
        None => (0..number(SEEDS).unwrap_or(usual)).map(|n| number(FIRST_SEED).unwrap_or(1).wrapping_add(n)).collect(),
    }
}

/// Prints the seed if the test fails while this value exists.
pub struct SeedReport(u64);

pub fn report_seed_on_failure(seed: u64) -> SeedReport {
    SeedReport(seed)
}

impl Drop for SeedReport {
    #[expect(clippy::print_stderr, reason = "a failing test prints how to run it again")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            let thread = std::thread::current();
            let test = thread.name().unwrap_or("…");
            eprintln!("seed {0}; again: {SEED}={0} scripts/test -E 'test(={test})'", self.0);
        }
    }
}
