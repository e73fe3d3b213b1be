//! `tilelint.toml`: read as far as it can be, each mistake told with its place.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::rule_values::setting_of;
use super::suppress::SUPPRESSION;
use super::{
    Config, ConfigProblem, Date, SETTINGS, Selector, SettingInfo, Shape, Suppression, unknown,
};
use crate::rule::Rule;
use crate::rules;

const OUTPUT: &str = "output";
const RULES: &str = "rules";
const SUPPRESS: &str = "suppress";

/// Reads settings. What is wrong is told and left out; the rest applies.
pub fn parse(text: &str, origin: &str) -> (Config, Vec<ConfigProblem>) {
    parse_for(text, origin, rules::all().collect())
}

/// Reads settings for these rules.
pub fn parse_for(
    text: &str,
    origin: &str,
    rules: Vec<&'static Rule>,
) -> (Config, Vec<ConfigProblem>) {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader { text, origin, config: Config::of(rules), problems: Vec::new() };
    reader.config.sources = 1;
    // One slip of the pen often upsets what follows: the first message is the one to act on.
    let start = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
    let broken: Vec<usize> = errors.iter().map(|error| reader.place(start(error)).0).collect();
    if let Some(error) = errors.iter().min_by_key(|error| start(error)) {
        reader.problem(start(error)..start(error), error.message().replace('\n', "; "));
    }
    let told = reader.problems.len();
    reader.top(table.get_ref());
    let on_broken_line = |p: &ConfigProblem| p.place.is_some_and(|(l, _)| broken.contains(&l));
    let rest = reader.problems.split_off(told);
    reader.problems.extend(rest.into_iter().filter(|problem| !on_broken_line(problem)));
    reader.problems.sort_by_key(|problem| problem.place);
    (reader.config, reader.problems)
}

struct Reader<'a> {
    text: &'a str,
    origin: &'a str,
    config: Config,
    problems: Vec<ConfigProblem>,
}

/// Entries of a table with the places of their keys, in the order of the file.
fn entries<'t>(table: &'t DeTable<'_>) -> Vec<(&'t str, Range<usize>, &'t Spanned<DeValue<'t>>)> {
    let mut entries: Vec<_> =
        table.iter().map(|(key, value)| (&**key.get_ref(), key.span(), value)).collect();
    entries.sort_by_key(|(_, span, _)| span.start);
    entries
}

impl Reader<'_> {
    fn place(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(self.text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
    }

    fn problem(&mut self, span: Range<usize>, message: String) {
        let place = Some(self.place(span.start));
        self.problems.push(ConfigProblem { origin: self.origin.to_owned(), place, message });
    }

    fn origin_at(&self, span: &Range<usize>) -> String {
        format!("{}:{}", self.origin, self.place(span.start).0)
    }

    fn wrong_type(&mut self, span: Range<usize>, key: &str, expected: &str, value: &DeValue<'_>) {
        let found = value.type_str();
        self.problem(span, format!("`{key}` must be {expected}, not {}", with_article(found)));
    }

    fn top(&mut self, table: &DeTable<'_>) {
        for (key, span, value) in entries(table) {
            let setting = SETTINGS.iter().find(|info| info.file == key);
            match (key, value.get_ref()) {
                (OUTPUT, DeValue::Table(table)) => self.output(table),
                (RULES, DeValue::Table(table)) => self.rules(table),
                (SUPPRESS, DeValue::Array(array)) => {
                    for entry in array.iter() {
                        match entry.get_ref() {
                            DeValue::Table(table) => self.suppress(table, entry.span()),
                            other => self.wrong_type(entry.span(), key, "a table", other),
                        }
                    }
                }
                (SUPPRESS, other) => {
                    self.wrong_type(value.span(), key, "a list of tables: `[[suppress]]`", other);
                }
                (OUTPUT | RULES, other) => self.wrong_type(value.span(), key, "a table", other),
                _ => match setting {
                    Some(info) => self.setting(info, key, value),
                    None => {
                        let keys = SETTINGS.iter().map(|info| info.file);
                        let keys = keys.filter(|file| !file.contains('.'));
                        let message = unknown("key", key, keys.chain([OUTPUT, SUPPRESS]));
                        self.problem(span, message);
                    }
                },
            }
        }
    }

    fn output(&mut self, table: &DeTable<'_>) {
        for (key, span, value) in entries(table) {
            let mut settings = SETTINGS.iter();
            match settings.find(|info| info.file.strip_prefix("output.") == Some(key)) {
                Some(info) => self.setting(info, key, value),
                None => {
                    let keys = SETTINGS.iter().filter_map(|i| i.file.strip_prefix("output."));
                    self.problem(span, unknown("key", key, keys));
                }
            }
        }
    }

    fn setting(&mut self, info: &SettingInfo, key: &str, value: &Spanned<DeValue<'_>>) {
        let span = value.span();
        let origin = self.origin_at(&span);
        let text = match (info.shape, value.get_ref()) {
            (Shape::Targets, value) => return self.targets(key, value, span),
            (Shape::Levels | Shape::Budgets, DeValue::Table(table)) => {
                return self.pairs(info, table);
            }
            (Shape::Levels | Shape::Budgets, other) => {
                return self.wrong_type(span, key, "a table", other);
            }
            (Shape::Count, DeValue::Integer(number)) => decimal(number),
            (Shape::Count, other) => return self.wrong_type(span, key, "a whole number", other),
            (Shape::Switch, DeValue::Boolean(on)) => if *on { "on" } else { "off" }.to_owned(),
            (Shape::Switch, other) => return self.wrong_type(span, key, "true or false", other),
            (_, DeValue::String(text)) => text.to_string(),
            (_, other) => return self.wrong_type(span, key, "a string", other),
        };
        if let Err(message) = self.config.set_value(info, &text, &origin) {
            self.problem(span, message);
        }
    }

    fn targets(&mut self, key: &str, value: &DeValue<'_>, span: Range<usize>) {
        let mut words: Vec<(&str, Range<usize>)> = Vec::new();
        match value {
            DeValue::String(word) => words.push((word, span.clone())),
            DeValue::Array(array) => {
                for entry in array.iter() {
                    match entry.get_ref() {
                        DeValue::String(word) => words.push((word, entry.span())),
                        other => self.wrong_type(entry.span(), key, "a list of strings", other),
                    }
                }
            }
            other => self.wrong_type(span.clone(), key, "a list of strings", other),
        }
        let origin = self.origin_at(&span);
        let names: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        for (index, message) in self.config.set_targets(&names, &origin) {
            self.problem(words[index].1.clone(), message);
        }
    }

    fn pairs(&mut self, info: &SettingInfo, table: &DeTable<'_>) {
        for (key, span, value) in entries(table) {
            let DeValue::String(word) = value.get_ref() else {
                self.wrong_type(value.span(), key, "a string", value.get_ref());
                continue;
            };
            let origin = self.origin_at(&span);
            if let Err(message) = self.config.set_pair(info, key, word, &origin) {
                // The key is at fault where it is unknown, else the value.
                let known = info.shape == Shape::Levels
                    && Selector::parse(key, &self.config.rules).is_ok()
                    || !message.contains(&format!("\"{key}\""));
                self.problem(if known { value.span() } else { span }, message);
            }
        }
    }

    /// `[rules.NAME]`: settings of one rule.
    fn rules(&mut self, table: &DeTable<'_>) {
        for (name, span, value) in entries(table) {
            let found = self.config.rules.iter().copied().find(|rule| rule.name == name);
            let Some(rule) = found else {
                let names = self.config.rules.iter().map(|rule| rule.name);
                let message = unknown("rule", name, names);
                self.problem(span, message);
                continue;
            };
            let DeValue::Table(table) = value.get_ref() else {
                self.wrong_type(value.span(), name, "a table", value.get_ref());
                continue;
            };
            for (key, span, value) in entries(table) {
                let origin = self.origin_at(&span);
                match (key, value.get_ref()) {
                    ("level", DeValue::String(word)) => {
                        let selector = Selector::Rule(rule.name);
                        if let Err(message) = self.config.add_level(selector, word, &origin) {
                            self.problem(value.span(), message);
                        }
                    }
                    ("level", other) => self.wrong_type(value.span(), key, "a string", other),
                    (_, number) => match (setting_of(rule, key, &["level"]), number) {
                        (Err(message), _) => self.problem(span, message),
                        (Ok(setting), DeValue::Integer(number)) => {
                            let done =
                                self.config.set_rule_value(setting, &decimal(number), &origin);
                            if let Err(message) = done {
                                self.problem(value.span(), message);
                            }
                        }
                        (Ok(_), other) => {
                            self.wrong_type(value.span(), key, "a whole number", other);
                        }
                    },
                }
            }
        }
    }

    /// A suppression counts only when it says which rule and why.
    fn suppress(&mut self, table: &DeTable<'_>, place: Range<usize>) {
        let mut texts: [Option<(String, Range<usize>)>; 4] = Default::default();
        let mut expires = None;
        let mut broken = false;
        for (key, span, value) in entries(table) {
            let slot = ["rule", "object", "pass", "reason"].iter().position(|name| *name == key);
            match (slot, value.get_ref()) {
                (Some(slot), DeValue::String(text)) => {
                    texts[slot] = Some((text.to_string(), value.span()));
                }
                (Some(_), other) => {
                    self.wrong_type(value.span(), key, "a string", other);
                    broken = true;
                }
                (None, value_) if key == "expires" => {
                    let text = match value_ {
                        DeValue::String(text) => text.to_string(),
                        DeValue::Datetime(date) => date.to_string(),
                        _ => String::new(),
                    };
                    expires = Date::parse(&text);
                    if expires.is_none() {
                        let message = "`expires` must be a date like 2026-12-31".to_owned();
                        self.problem(value.span(), message);
                        broken = true;
                    }
                }
                _ => {
                    let keys = ["rule", "object", "pass", "reason", "expires"];
                    self.problem(span, unknown("key", key, keys));
                    broken = true;
                }
            }
        }
        let [rule, object, pass, reason] = texts;
        let Some(rule) = self.suppressed_rule(rule, &place, broken) else { return };
        let reason = reason.map(|(text, _)| text).filter(|text| !text.trim().is_empty());
        let Some(reason) = reason else {
            if !broken {
                let message = "a suppression needs `reason`: why is this meant?".to_owned();
                self.problem(place, message);
            }
            return;
        };
        if broken {
            return;
        }
        let origin = self.origin_at(&place);
        let (object, pass) = (object.map(|(text, _)| text), pass.map(|(text, _)| text));
        let kind = SUPPRESSION;
        let suppression = Suppression { kind, rule, object, pass, reason, expires, origin };
        self.config.suppressions.push(suppression);
    }

    fn suppressed_rule(
        &mut self,
        rule: Option<(String, Range<usize>)>,
        place: &Range<usize>,
        broken: bool,
    ) -> Option<&'static str> {
        let Some((name, span)) = rule else {
            if !broken {
                self.problem(place.clone(), "a suppression needs `rule`".to_owned());
            }
            return None;
        };
        let found = self.config.rules.iter().copied().find(|rule| rule.name == name);
        if found.is_none() {
            let names = self.config.rules.iter().map(|rule| rule.name);
            let message = unknown("rule", &name, names);
            self.problem(span, message);
        }
        found.map(|rule| rule.name)
    }
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
}

/// A number as people write it, whatever base the file has it in.
fn decimal(number: &DeInteger<'_>) -> String {
    let text = number.as_str().replace('_', "");
    i64::from_str_radix(&text, number.radix()).map_or(text, |number| number.to_string())
}
