//! Settings as they are in force, with where each came from.

use super::{BUILT_IN, Boundary, Budget, Color, Config, Setting, Suppression, TextSink};

/// A setting in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its name in `tilelint.toml`: a key, or `table.key`.
    pub name: String,
    /// Its value, as `tilelint.toml` writes it.
    pub value: String,
    /// Where it came from.
    pub origin: String,
}

fn row<T>(name: &str, setting: &Setting<T>, write: impl Fn(&T) -> String) -> Row {
    Row { name: name.to_owned(), value: write(&setting.value), origin: setting.origin.clone() }
}

fn quoted(text: &str) -> String {
    format!("{text:?}")
}

fn path(path: &Option<String>) -> String {
    quoted(path.as_deref().unwrap_or("off"))
}

fn budget(budget: &Budget) -> Row {
    let per = if budget.per_second { "s" } else { "frame" };
    Row {
        name: format!("budgets.{}", budget.target),
        value: quoted(&format!("{}B/{per}", budget.bytes)),
        origin: budget.origin.clone(),
    }
}

impl Config {
    /// Every setting in force; of levels those that are not the rule's own, and of tables their
    /// entries.
    pub fn effective(&self) -> Vec<Row> {
        let list = |names: &Vec<String>| {
            format!("[{}]", names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "))
        };
        let boundary = |boundary: &Boundary| match boundary {
            Boundary::Auto => quoted("auto"),
            Boundary::Marker => quoted("marker"),
        };
        let color = |color: &Color| match color {
            Color::Auto => quoted("auto"),
            Color::Always => quoted("always"),
            Color::Never => quoted("never"),
        };
        let text = |sink: &TextSink| match sink {
            TextSink::Stderr => quoted("stderr"),
            TextSink::Off => quoted("off"),
            TextSink::File(path) => quoted(path),
        };
        let mut rows = vec![
            row("targets", &self.targets, list),
            row("steady_frames", &self.steady_frames, u32::to_string),
            row("frames", &self.frames, |frames| quoted(&frames.to_string())),
            row("frame_boundary", &self.frame_boundary, boundary),
            row("every_frame", &self.every_frame, bool::to_string),
            row("times", &self.times, bool::to_string),
            row("ask_driver", &self.ask_driver, bool::to_string),
            row("output.report", &self.report, path),
            row("output.recording", &self.recording, path),
            row("output.text", &self.text, text),
            row("output.color", &self.color, color),
            row("output.pass_table", &self.pass_table, bool::to_string),
            row("output.progress", &self.progress, path),
            row("output.api_time", &self.api_time, bool::to_string),
        ];
        for (setting, value) in &self.rule_values {
            rows.push(row(&format!("rules.{setting}"), value, u64::to_string));
        }
        for rule in &self.rules {
            let level = self.level_of(rule);
            if level.origin != BUILT_IN {
                let name = format!("levels.{}", rule.name);
                rows.push(row(&name, &level, |level| quoted(level.word())));
            }
        }
        rows.extend(self.budgets.iter().map(budget));
        rows.extend(self.suppressions.iter().map(suppressed));
        rows
    }
}

fn suppressed(suppression: &Suppression) -> Row {
    let of = |what: &str, pattern: &Option<String>| {
        pattern.as_ref().map_or(String::new(), |p| format!(", {what} = {}", quoted(p)))
    };
    let expires = suppression.expires.map_or(String::new(), |day| format!(", expires = {day}"));
    Row {
        name: suppression.kind.to_owned(),
        value: format!(
            "rule = {}{}{}, reason = {}{expires}",
            quoted(suppression.rule),
            of("object", &suppression.object),
            of("pass", &suppression.pass),
            quoted(&suppression.reason),
        ),
        origin: suppression.origin.clone(),
    }
}
