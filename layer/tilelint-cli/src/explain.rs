//! `tilelint explain` and `tilelint rules`.

use std::io::Write;
use std::process::ExitCode;

use tilelint::config::unknown;
use tilelint::finding::Level;
use tilelint::rules;

use crate::Outcome;

/// Writes the page of a rule.
pub fn explain(name: &str, out: &mut dyn Write) -> Outcome {
    let Some(rule) = rules::by_name(name) else {
        return Err(unknown("rule", name, rules::all().map(|rule| rule.name)).into());
    };
    writeln!(out, "{}", rule.page.trim_end())?;
    writeln!(out, "\n## Settings\n\nIn `tilelint.toml`, below `[rules.{}]`:\n", rule.name)?;
    let words: Vec<&str> = Level::WORDS.into_iter().chain(["expect"]).collect();
    let (level, words) = (rule.level.word(), words.join(", "));
    writeln!(out, "- `level` (default \"{level}\"): one of {words}.")?;
    for setting in rules::settings().filter(|setting| setting.rule == rule.name) {
        writeln!(out, "{}", setting.line())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a line for each rule, by group.
pub fn rules(out: &mut dyn Write) -> Outcome {
    let width = rules::all().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut group = None;
    for rule in rules::all() {
        if group != Some(rule.group) {
            group = Some(rule.group);
            writeln!(out, "{}:", rule.group.name())?;
        }
        writeln!(out, "  {:width$}  {:6}  {}", rule.name, rule.level.word(), rule.summary())?;
    }
    Ok(ExitCode::SUCCESS)
}
