//! Levels of rules: who is meant, and which setting wins.

use super::suppress::EXPECTATION;
use super::{BUILT_IN, Config, Setting, Suppression, unknown};
use crate::finding::Level;
use crate::rule::{Group, Rule};

/// The level of a rule that must fire.
const EXPECT: &str = "expect";

/// Whom a level is set for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// Every rule.
    All,
    /// A chapter.
    Group(Group),
    /// A rule, by name.
    Rule(&'static str),
    /// Every rule whose level would be `warn`.
    Warnings,
}

impl Selector {
    /// Reads the name of a rule, a group, `warnings` or `all`.
    ///
    /// # Errors
    ///
    /// That no such name exists, with the nearest and the full list.
    pub fn parse(word: &str, rules: &[&'static Rule]) -> Result<Self, String> {
        if let Some(rule) = rules.iter().find(|rule| rule.name == word) {
            return Ok(Self::Rule(rule.name));
        }
        if let Some(group) = Group::ALL.into_iter().find(|group| group.name() == word) {
            return Ok(Self::Group(group));
        }
        match word {
            "all" => Ok(Self::All),
            "warnings" => Ok(Self::Warnings),
            _ => {
                let groups = Group::ALL.into_iter().map(Group::name);
                let names = ["all", "warnings"].into_iter().chain(groups);
                let names = names.chain(rules.iter().map(|rule| rule.name));
                Err(unknown("rule", word, names))
            }
        }
    }

    /// The name that [`Selector::parse`] reads.
    pub fn name(&self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Group(group) => group.name(),
            Self::Rule(name) => name,
            Self::Warnings => "warnings",
        }
    }

    fn holds_for(&self, rule: &Rule) -> bool {
        match self {
            Self::All => true,
            Self::Group(group) => *group == rule.group,
            Self::Rule(name) => *name == rule.name,
            Self::Warnings => false,
        }
    }

    /// Inside one source the more particular name wins.
    fn rank(&self) -> u8 {
        match self {
            Self::All => 0,
            Self::Group(_) => 1,
            Self::Rule(_) => 2,
            Self::Warnings => 3,
        }
    }
}

/// A level that was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelSetting {
    /// For whom.
    pub selector: Selector,
    /// The level.
    pub level: Level,
    /// Where it was set.
    pub origin: String,
    /// Which source, weakest first.
    pub(super) source: u32,
}

impl Config {
    pub(super) fn add_level(
        &mut self,
        selector: Selector,
        word: &str,
        origin: &str,
    ) -> Result<(), String> {
        if word == EXPECT {
            return self.expect(&selector, origin);
        }
        let words = Level::WORDS.into_iter().chain([EXPECT]);
        let level = Level::parse(word).ok_or_else(|| unknown("level", word, words))?;
        let source = self.sources;
        self.levels.push(LevelSetting { selector, level, origin: origin.to_owned(), source });
        Ok(())
    }

    /// A rule that must fire: its findings are suppressed, and that none came is told.
    fn expect(&mut self, selector: &Selector, origin: &str) -> Result<(), String> {
        let Selector::Rule(name) = selector else {
            return Err(format!("`{EXPECT}` is for one rule, not for `{}`", selector.name()));
        };
        let rule = self.rules.iter().copied().find(|rule| rule.name == *name);
        if rule.is_some_and(|rule| self.level_of(rule).value == Level::Allow) {
            self.add_level(selector.clone(), Level::Warn.word(), origin)?;
        }
        self.suppressions.push(Suppression {
            kind: EXPECTATION,
            rule: name,
            object: None,
            pass: None,
            reason: "expected".to_owned(),
            expires: None,
            origin: origin.to_owned(),
        });
        Ok(())
    }

    /// The level of a rule and who set it. `forbid` stands once it is set; `warnings` comes last
    /// and moves what is at `warn` by then.
    pub fn level_of(&self, rule: &Rule) -> Setting<Level> {
        let mut settings: Vec<&LevelSetting> = self.levels.iter().collect();
        settings.sort_by_key(|setting| (setting.source, setting.selector.rank()));
        let mut found = Setting { value: rule.level, origin: BUILT_IN.to_owned() };
        for setting in settings.iter().filter(|setting| setting.selector.holds_for(rule)) {
            if found.value != Level::Forbid || found.origin == BUILT_IN {
                found = Setting { value: setting.level, origin: setting.origin.clone() };
            }
        }
        let warnings = settings.iter().rev().find(|s| s.selector == Selector::Warnings);
        if let Some(warnings) = warnings
            && found.value == Level::Warn
        {
            found = Setting { value: warnings.level, origin: warnings.origin.clone() };
        }
        found
    }
}
