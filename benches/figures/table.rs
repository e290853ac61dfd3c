//! The table that a run prints. The rule: a figure is printed with its goal, and with whether it has reached it.

pub struct Figure {
    pub name: String,
    pub measured: String,
    /// The goal, and whether it was reached; `None` if the figure is for information.
    pub goal: Option<(String, bool)>,
}

impl Figure {
    pub fn new(name: impl Into<String>, measured: impl Into<String>) -> Self {
        Self { name: name.into(), measured: measured.into(), goal: None }
    }

    pub fn with_goal(mut self, goal: impl Into<String>, is_reached: bool) -> Self {
        self.goal = Some((goal.into(), is_reached));
        self
    }

    pub fn print(&self) {
        let goal = match &self.goal {
            None => String::new(),
            Some((goal, true)) => format!("{goal}: reached"),
            Some((goal, false)) => format!("{goal}: MISSED"),
        };
        println!("{:<34} {:<44} {goal}", self.name, self.measured);
    }
}

/// `12,345`
pub fn with_commas(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
