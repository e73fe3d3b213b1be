//! `tilelint explain` and `tilelint rules`.

use std::io::{self, Write};
use std::process::ExitCode;

use tilelint::finding::Level;
use tilelint::nearest::nearest;
use tilelint::rule::{Group, Rule};
use tilelint::rules;

use crate::Outcome;

/// Writes the page of a rule.
pub fn explain(name: &str, out: &mut dyn Write) -> Outcome {
    if let Some(group) = Group::ALL.into_iter().find(|group| group.name() == name) {
        list(rules::all().filter(|rule| rule.group == group), out)?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(rule) = rules::by_name(name) else { return Err(unknown_rule(name).into()) };
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

/// Says which rules may be meant. All of them are too many to find one.
fn unknown_rule(name: &str) -> String {
    let near = nearest(name, rules::all().map(|rule| rule.name));
    let holds = |rule: &&str| !name.is_empty() && rule.contains(name);
    let holding: Vec<&str> = rules::all().map(|rule| rule.name).filter(holds).collect();
    let meant = match near {
        Some(near) if !holding.contains(&near) => vec![near],
        _ => holding,
    };
    let meant = match meant.as_slice() {
        [] => String::new(),
        [one] => format!("; did you mean \"{one}\"?"),
        many => format!("; did you mean one of {}?", many.join(", ")),
    };
    format!("unknown rule \"{name}\"{meant} (`tilelint rules` lists all)")
}

/// Writes a line for each rule, by group.
pub fn rules(out: &mut dyn Write) -> Outcome {
    list(rules::all(), out)?;
    Ok(ExitCode::SUCCESS)
}

fn list(listed: impl Iterator<Item = &'static Rule>, out: &mut dyn Write) -> io::Result<()> {
    let width = rules::all().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut group = None;
    for rule in listed {
        if group != Some(rule.group) {
            group = Some(rule.group);
            writeln!(out, "{}:", rule.group.name())?;
        }
        writeln!(out, "  {:width$}  {:6}  {}", rule.name, rule.level.word(), rule.summary())?;
    }
    Ok(())
}
