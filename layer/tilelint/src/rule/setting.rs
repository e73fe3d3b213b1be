//! Numbers that a rule lets people choose.

use std::fmt;

use rustc_hash::FxHashMap;

/// A number of one rule: `[rules.NAME]` in `tilelint.toml`.
#[derive(Debug, PartialEq, Eq)]
pub struct RuleSetting {
    /// The rule.
    pub rule: &'static str,
    /// Its name among the rule's settings.
    pub name: &'static str,
    /// What it is when nobody sets it.
    pub default: u64,
    /// The least that makes sense.
    pub least: u64,
    /// The most that makes sense.
    pub most: u64,
    /// What it is, with its unit.
    pub about: &'static str,
}

impl RuleSetting {
    /// Returns a setting that may be any whole number.
    pub const fn new(
        rule: &'static str,
        name: &'static str,
        default: u64,
        about: &'static str,
    ) -> Self {
        Self { rule, name, default, least: 0, most: u64::MAX, about }
    }

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// Which values there are.
    pub fn parse(&self, text: &str) -> Result<u64, String> {
        let number = text.trim().replace('_', "").parse().ok();
        number
            .filter(|number| (self.least..=self.most).contains(number))
            .ok_or_else(|| format!("`{text}` is no whole number {} for `{self}`", self.limits()))
    }

    fn limits(&self) -> String {
        match self.most {
            u64::MAX => format!("of at least {}", self.least),
            most => format!("from {} to {most}", self.least),
        }
    }

    /// The line that the rule's page has about it.
    pub fn line(&self) -> String {
        format!("- `{}` (default {}): {}.", self.name, self.default, self.about)
    }
}

impl fmt::Display for RuleSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.rule, self.name)
    }
}

/// The numbers that somebody chose, by rule and name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleValues(FxHashMap<(&'static str, &'static str), u64>);

impl RuleValues {
    /// Chooses a number.
    pub fn set(&mut self, setting: &RuleSetting, value: u64) {
        self.0.insert((setting.rule, setting.name), value);
    }

    /// The number in force.
    pub fn get(&self, setting: &RuleSetting) -> u64 {
        self.0.get(&(setting.rule, setting.name)).copied().unwrap_or(setting.default)
    }
}
