//! Suppressions: findings that are known to be meant, each with its reason.

use std::fmt;

use super::Config;
use crate::finding::Finding;

/// What a label region says to allow a rule inside it.
const LABEL: &str = "tilelint: allow ";

/// What a `[[suppress]]` table makes.
pub(super) const SUPPRESSION: &str = "suppression";
/// What the level `expect` makes.
pub(super) const EXPECTATION: &str = "expectation";

/// A calendar day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// Year.
    pub year: u16,
    /// Month, from 1.
    pub month: u8,
    /// Day, from 1.
    pub day: u8,
}

impl Date {
    /// Reads `2026-12-31`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() || year.len() != 4 || month.len() != 2 || day.len() != 2 {
            return None;
        }
        let date =
            Self { year: year.parse().ok()?, month: month.parse().ok()?, day: day.parse().ok()? };
        ((1..=12).contains(&date.month) && (1..=31).contains(&date.day)).then_some(date)
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// Findings of a rule that are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// `suppression` or `expectation`.
    pub kind: &'static str,
    /// The rule.
    pub rule: &'static str,
    /// Pattern of the object's name; `None` is any.
    pub object: Option<String>,
    /// Pattern of the pass's name; `None` is any.
    pub pass: Option<String>,
    /// Why.
    pub reason: String,
    /// Last day on which it holds.
    pub expires: Option<Date>,
    /// Where it stands: `tilelint.toml:14`.
    pub origin: String,
}

impl Suppression {
    fn holds_for(&self, finding: &Finding) -> bool {
        let object = self.object.as_deref().is_none_or(|pattern| {
            let image = finding.location.image.as_deref().into_iter();
            let mut names = image.chain(finding.objects.iter().map(|(_, name)| name.as_str()));
            names.any(|name| matches_glob(pattern, name))
        });
        let pass = self.pass.as_deref().is_none_or(|pattern| {
            finding.location.pass.as_deref().is_some_and(|name| matches_glob(pattern, name))
        });
        self.rule == finding.rule && object && pass
    }
}

/// A finding that was suppressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressed {
    /// The finding.
    pub finding: Finding,
    /// Why it is meant.
    pub reason: String,
    /// Who says so.
    pub by: String,
}

/// A suppression that did nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    /// `suppression`, `expired suppression` or `expectation`.
    pub kind: &'static str,
    /// Where it stands.
    pub by: String,
    /// Its rule.
    pub rule: &'static str,
}

/// Findings after suppression.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// What remains.
    pub findings: Vec<Finding>,
    /// What was suppressed.
    pub suppressed: Vec<Suppressed>,
    /// Suppressions that did nothing.
    pub unused: Vec<Unused>,
}

impl Config {
    /// Takes out the findings that are suppressed, by a setting or by a label region around the
    /// commands (`tilelint: allow RULE, reason`). Without `today` nothing has expired.
    pub fn judge(&self, findings: Vec<Finding>, today: Option<Date>) -> Judged {
        let expired = |s: &Suppression| today.zip(s.expires).is_some_and(|(day, last)| day > last);
        let mut used = vec![false; self.suppressions.len()];
        let mut judged = Judged::default();
        for finding in findings {
            let mut matching = self.suppressions.iter().enumerate();
            let found = matching.find(|(_, s)| !expired(s) && s.holds_for(&finding));
            if let Some((index, suppression)) = found {
                used[index] = true;
                let (reason, by) = (suppression.reason.clone(), suppression.origin.clone());
                judged.suppressed.push(Suppressed { finding, reason, by });
            } else if let Some(reason) = label_reason(&finding) {
                judged.suppressed.push(Suppressed { finding, reason, by: "label".to_owned() });
            } else {
                judged.findings.push(finding);
            }
        }
        for (suppression, used) in self.suppressions.iter().zip(used) {
            if !used {
                let expired = expired(suppression);
                let kind = if expired { "expired suppression" } else { suppression.kind };
                let by = suppression.origin.clone();
                judged.unused.push(Unused { kind, by, rule: suppression.rule });
            }
        }
        judged
    }
}

/// The reason that a label region around the finding gives to allow its rule.
fn label_reason(finding: &Finding) -> Option<String> {
    finding.location.labels.iter().find_map(|label| {
        let text = label.strip_prefix(LABEL)?;
        let (rules, reason) = match text.split_once([':', '(']) {
            Some((rules, reason)) => (rules, reason.trim_end_matches(')').trim()),
            None => (text, ""),
        };
        let mut rules = rules.split([',', ' ']).filter(|rule| !rule.is_empty());
        rules.any(|rule| rule == finding.rule).then(|| match reason {
            "" => format!("label `{label}`"),
            reason => reason.to_owned(),
        })
    })
}

/// Matches a name against a pattern: `*` stands for any text, `?` for one character.
pub fn matches_glob(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p, n));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == name[n]) {
            p += 1;
            n += 1;
        } else if let Some((star_p, star_n)) = star {
            star = Some((star_p, star_n + 1));
            p = star_p + 1;
            n = star_n + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}
