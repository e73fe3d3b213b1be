//! Whether a report is clean, and the exit code for it.

use tilelint::config::{BUILT_IN, Config};
use tilelint::finding::Level;
use tilelint::report::{Finding, Report, over_budget};
use tilelint::rules;

use crate::baseline::Baseline;
use crate::{FAILED, FOUND, complain, join};

/// What a report amounts to.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Findings at `deny` that no baseline knows.
    denied: usize,
    /// Findings that the baseline knows.
    known: usize,
    /// Budgets that are exceeded, in words.
    over: Vec<String>,
    /// Why the report says less than it should.
    partial: Option<String>,
}

impl Verdict {
    /// 0 for clean, 1 for findings, 2 where less was seen than happened.
    pub fn code(&self) -> u8 {
        match self {
            _ if self.denied > 0 || !self.over.is_empty() => FOUND,
            _ if self.partial.is_some() => FAILED,
            _ => 0,
        }
    }

    /// The report says less than happened.
    pub fn is_partial(&self) -> bool {
        self.partial.is_some()
    }

    /// The baseline now knows every finding.
    pub fn accept_all(&mut self) {
        self.known += std::mem::take(&mut self.denied);
    }

    /// Says on standard error what decided.
    pub fn tell(&self) {
        for budget in &self.over {
            complain("error", &format!("over budget: {budget}"));
        }
        if let Some(partial) = &self.partial {
            complain("error", partial);
        }
        let known = match self.known {
            0 => String::new(),
            count => format!("; the baseline knows {count}"),
        };
        match self.denied {
            0 if known.is_empty() => {}
            0 => complain("tilelint", &format!("no new finding at level deny{known}")),
            1 => complain("error", &format!("1 new finding at level deny{known}")),
            count => complain("error", &format!("{count} new findings at level deny{known}")),
        }
    }
}

/// Judges a report. Where there is a baseline, each finding gets its `status`.
pub fn judge(report: &mut Report, config: &Config, baseline: Option<&Baseline>) -> Verdict {
    let mut verdict = Verdict { partial: partial(report), ..Verdict::default() };
    for finding in &mut report.findings {
        finding.status =
            baseline.map(|b| if b.knows(finding) { "known" } else { "new" }.to_owned());
        if is_known(finding) {
            verdict.known += 1;
        } else if is_denied(finding) {
            verdict.denied += 1;
        }
    }
    verdict.over = over_budget(report, config);
    verdict
}

/// A baseline knows the finding.
pub fn is_known(finding: &Finding) -> bool {
    finding.status.as_deref() == Some("known")
}

/// The finding is at a level that fails a check, and the steady frames have it.
pub fn is_denied(finding: &Finding) -> bool {
    !finding.only_unsteady && Level::parse(&finding.level).is_some_and(|level| level >= Level::Deny)
}

fn partial(report: &Report) -> Option<String> {
    if report.run.get("complete") == Some(&false.into()) {
        return Some("the report is not complete: the program did not end as it should".to_owned());
    }
    if report.frames.seen == 0 && report.passes.is_empty() {
        return Some(match &report.frames.range {
            Some(range) => format!("the program ended before a frame of {range} did"),
            None => "the program rendered nothing that could be judged".to_owned(),
        });
    }
    let silent = report.devices.iter().find(|device| device.linting != "on")?;
    Some(format!("device `{}` was not linted: {}", silent.id, silent.linting))
}

/// Gives findings the levels that the command line sets. A finding that its rule told at a lower
/// level than the rule's own is left where it is.
pub fn relevel(report: &mut Report, config: &Config) {
    report.findings.retain_mut(|finding| {
        let Some(rule) = rules::by_name(&finding.rule) else { return true };
        let set = config.level_of(rule);
        if set.origin == BUILT_IN {
            return true;
        }
        let now = Level::parse(&finding.level).unwrap_or(Level::Warn);
        let is_lowered = (now < rule.level && now == Level::Info) || finding.only_unsteady;
        let level = if is_lowered { now.min(set.value) } else { set.value };
        finding.level = level.min(Level::Deny).word().to_owned();
        level != Level::Allow
    });
    join::sort(&mut report.findings);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_frame() -> Report {
        let mut report = Report::default();
        report.frames.seen = 1;
        report
    }

    fn report(level: &str) -> Report {
        let finding = Finding {
            rule: "msaa-store".to_owned(),
            level: level.to_owned(),
            ..Finding::default()
        };
        Report { findings: vec![finding], ..one_frame() }
    }

    fn releveled(level: &str, setting: &str) -> Option<String> {
        let mut config = Config::new();
        config.set("levels", setting, "command line").expect("is right");
        let mut report = report(level);
        relevel(&mut report, &config);
        report.findings.first().map(|finding| finding.level.clone())
    }

    #[test]
    fn the_command_line_sets_levels_of_a_report() {
        assert_eq!(releveled("warn", "warnings=deny").as_deref(), Some("deny"));
        assert_eq!(releveled("warn", "depth-store=deny").as_deref(), Some("warn"));
        assert_eq!(releveled("deny", "all=warn").as_deref(), Some("warn"));
        assert_eq!(releveled("warn", "msaa-store=allow"), None);
        let lowered = "the rule told it at a lower level";
        assert_eq!(releveled("info", "all=deny").as_deref(), Some("info"), "{lowered}");
    }

    #[test]
    fn what_steady_frames_do_not_have_is_never_denied() {
        let mut config = Config::new();
        config.set("levels", "all=deny", "command line").expect("is right");
        let mut report = report("info");
        report.findings[0].rule = "many-bins".to_owned();
        report.findings[0].only_unsteady = true;
        relevel(&mut report, &config);
        assert_eq!(report.findings[0].level, "info");
        report.findings[0].level = "deny".to_owned();
        assert_eq!(judge(&mut report, &config, None).code(), 0);
        report.findings[0].only_unsteady = false;
        assert_eq!(judge(&mut report, &config, None).code(), FOUND);
    }

    #[test]
    fn what_was_not_seen_is_not_clean() {
        let config = Config::new();
        assert_eq!(judge(&mut Report::default(), &config, None).code(), FAILED, "no frame");
        let mut clean = one_frame();
        assert_eq!(judge(&mut clean, &config, None).code(), 0);
        assert_eq!(judge(&mut report("warn"), &config, None).code(), 0);
        assert_eq!(judge(&mut report("deny"), &config, None).code(), FOUND);
        clean.run = serde_json::json!({"complete": false});
        assert_eq!(judge(&mut clean, &config, None).code(), FAILED);
        let device = tilelint::report::Device {
            linting: "an internal error".to_owned(),
            ..tilelint::report::Device::default()
        };
        let mut silent = Report { devices: vec![device], ..one_frame() };
        assert_eq!(judge(&mut silent, &config, None).code(), FAILED);
    }
}
