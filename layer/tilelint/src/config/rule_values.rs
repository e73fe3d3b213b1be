//! Numbers of single rules.

use super::{Config, Setting, unknown};
use crate::rule::{Rule, RuleSetting, RuleValues};
use crate::rules;

/// A number of a rule that was set.
pub type RuleValue = (&'static RuleSetting, Setting<u64>);

impl Config {
    /// Sets `RULE.NAME`; a later one wins.
    pub(super) fn set_rule_value(
        &mut self,
        setting: &'static RuleSetting,
        value: &str,
        origin: &str,
    ) -> Result<(), String> {
        let value = Setting { value: setting.parse(value)?, origin: origin.to_owned() };
        self.take_rule_value((setting, value));
        Ok(())
    }

    pub(super) fn take_rule_value(&mut self, value: RuleValue) {
        self.rule_values.retain(|(known, _)| *known != value.0);
        self.rule_values.push(value);
        self.rule_values.sort_by_key(|(setting, _)| (setting.rule, setting.name));
    }

    /// Finds `RULE.NAME`.
    pub(super) fn rule_setting(&self, word: &str) -> Result<&'static RuleSetting, String> {
        let (rule, name) = word.split_once('.').unwrap_or((word, ""));
        let known = self.rules.iter().find(|known| known.name == rule);
        let all = rules::settings().map(ToString::to_string);
        match known {
            Some(known) if !name.is_empty() => setting_of(known, name, &[]),
            _ => {
                let all: Vec<String> = all.collect();
                Err(unknown("setting", word, all.iter().map(String::as_str)))
            }
        }
    }

    /// The numbers in force.
    pub(crate) fn rule_values(&self) -> RuleValues {
        let mut values = RuleValues::default();
        for (setting, value) in &self.rule_values {
            values.set(setting, value.value);
        }
        values
    }
}

/// Finds a number of a rule; `others` may stand there as well.
pub(super) fn setting_of(
    rule: &Rule,
    name: &str,
    others: &[&'static str],
) -> Result<&'static RuleSetting, String> {
    let own = || rules::settings().filter(|setting| setting.rule == rule.name);
    own().find(|setting| setting.name == name).ok_or_else(|| {
        let names = others.iter().copied().chain(own().map(|setting| setting.name));
        unknown(&format!("setting of {}", rule.name), name, names)
    })
}
