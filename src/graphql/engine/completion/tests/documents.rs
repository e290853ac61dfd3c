//! Random valid documents for the toy schema. The rule: any sequence of choices makes a valid document, and a key always names the same field with
//! the same arguments.

/// The fields of a type with the types of their selections, and the possible type conditions of fragments in it.
fn fields(of: &str) -> (&'static [(&'static str, &'static str)], &'static [&'static str]) {
    match of {
        "Query" => (
            &[
                ("id", ""),
                ("fruit", "Fruit"),
                ("fruit_5: fruit(n: 5)", "Fruit"),
                ("crate", "Crate"),
                ("crate_9: crate(n: 9)", "Crate"),
                ("crate_14: crate(n: 14)", "Crate"),
                ("thing: thing(n: 3)", "Thing"),
                ("thing_4: thing(n: 4)", "Thing"),
                ("thing_15: thing(n: 15)", "Thing"),
                ("thing_0: thing(n: 0)", "Thing"),
                ("found", "Found"),
                ("list", "Fruit"),
                ("list_2: list(n: 2)", "Fruit"),
                ("crate_21: crate(n: 21)", "Crate"),
                ("crate_22: crate(n: 22)", "Crate"),
                ("crate_23: crate(n: 23)", "Crate"),
                ("mayFail", ""),
                ("fails", ""),
            ],
            &["Query"],
        ),
        "Fruit" => (
            &[
                ("id", ""),
                ("label", ""),
                ("also: label", ""),
                ("sour", ""),
                ("ripe", ""),
                ("inside", "Crate"),
                ("beside", "Thing"),
            ],
            &["Fruit", "Thing"],
        ),
        "Crate" => (
            &[
                ("id", ""),
                ("label", ""),
                ("also: label", ""),
                ("sour", ""),
                ("fruits", "Fruit"),
                ("things", "Thing"),
                ("maybe", "Thing"),
                ("found", "Found"),
                ("sizes", ""),
            ],
            &["Crate", "Thing"],
        ),
        "Thing" => (&[("id", ""), ("label", ""), ("also: label", ""), ("sour", "")], &["Fruit", "Crate", "Thing"]),
        _ => (&[("__typename", "")], &["Fruit", "Crate", "Thing"]),
    }
}

const CONDITIONS: &[&str] = &[
    " @skip(if: false)",
    " @include(if: true)",
    " @skip(if: true)",
    " @include(if: false)",
    " @include(if: $yes)",
    " @include(if: $no)",
    " @skip(if: $on)",
    " @skip(if: $off)",
    " @skip(if: $no) @include(if: $on)",
];

pub fn make(choices: &[u8]) -> String {
    let mut maker = Maker { choices: choices.iter(), fragments: Vec::new() };
    let set = maker.set("Query", 5);
    let variables = "$yes: Boolean!, $no: Boolean!, $on: Boolean = true, $off: Boolean = false";
    // A valid document uses each of its variables.
    let uses: String = ["yes", "no", "on", "off"].map(|name| format!("... @include(if: ${name}) {{ id }} ")).concat();
    let fragments: String = maker.fragments.iter().map(|(_, text)| text.as_str()).collect();
    format!("query Q({variables}) {{ {uses} {set} }} {fragments}")
}

struct Maker<'a> {
    choices: std::slice::Iter<'a, u8>,
    /// The type conditions of the fragments, and their texts.
    fragments: Vec<(&'static str, String)>,
}

impl Maker<'_> {
    /// The first option if no choices are left.
    fn choose(&mut self, count: usize) -> usize {
        self.choices.next().map_or(0, |choice| usize::from(*choice)) % count
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.choose(from.len())]
    }

    fn set(&mut self, of: &str, depth: usize) -> String {
        let count = 1 + self.choose(7);
        let selections: Vec<_> = (0..count).map(|_| self.selection(of, depth)).collect();
        selections.join(" ")
    }

    fn selection(&mut self, of: &str, depth: usize) -> String {
        let (fields, conditions) = fields(of);
        let condition = if self.choose(5) == 1 { self.pick(CONDITIONS) } else { "" };
        match self.choose(10) {
            7 if depth > 0 => {
                let on = self.pick(conditions);
                format!("... on {on}{condition} {{ {} }}", self.set(on, depth - 1))
            }
            8 if depth > 0 => format!("...{condition} {{ {} }}", self.set(of, depth - 1)),
            9 if depth > 0 => format!("...{}{condition}", self.fragment(conditions, depth - 1)),
            _ => match self.pick(fields) {
                ("fails", _) if self.choose(4) > 0 => format!("mayFail{condition}"),
                (field, "") => format!("{field}{condition}"),
                (_, _) if depth == 0 => format!("__typename{condition}"),
                (field, below) => format!("{field}{condition} {{ {} }}", self.set(below, depth - 1)),
            },
        }
    }

    /// An existing fragment or a new one. A new fragment is added only when it is complete, so that no fragment spreads itself.
    fn fragment(&mut self, conditions: &[&'static str], depth: usize) -> String {
        let on = self.pick(conditions);
        let known: Vec<usize> = (0..self.fragments.len()).filter(|index| self.fragments[*index].0 == on).collect();
        if !known.is_empty() && self.choose(2) == 1 {
            return format!("F{}", self.pick(&known));
        }
        let set = self.set(on, depth);
        let index = self.fragments.len();
        self.fragments.push((on, format!("fragment F{index} on {on} {{ {set} }} ")));
        format!("F{index}")
    }
}
