//! `tilelint explain` and `tilelint rules`.

use std::io::Write;
use std::process::ExitCode;

use tilelint::config::unknown;
use tilelint::rules;

use crate::Outcome;

/// Writes the page of a rule.
pub fn explain(name: &str, out: &mut dyn Write) -> Outcome {
    let Some(rule) = rules::by_name(name) else {
        return Err(unknown("rule", name, rules::all().map(|rule| rule.name)).into());
    };
    writeln!(out, "{}", rule.page.trim_end())?;
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
