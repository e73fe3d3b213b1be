//! Several reports of one run, as a script with several programs leaves them, as one.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use tilelint::report::{Finding, Report};

/// Joins reports; what two of them say with one key is one, with counts added.
pub fn join(reports: Vec<Report>) -> Option<Report> {
    let mut reports = reports.into_iter();
    let first = reports.next()?;
    Some(reports.fold(first, two))
}

fn two(mut into: Report, other: Report) -> Report {
    for finding in other.findings {
        match into.findings.iter_mut().find(|known| known.fingerprint == finding.fingerprint) {
            Some(known) => {
                known.count += finding.count;
                if known.only_unsteady && !finding.only_unsteady {
                    (known.only_unsteady, known.level) = (false, finding.level);
                }
            }
            None => into.findings.push(finding),
        }
    }
    sort(&mut into.findings);
    extend(&mut into.targets, other.targets, |target| target.name.clone());
    extend(&mut into.devices, other.devices, |device| format!("{device:?}"));
    extend(&mut into.passes, other.passes, |pass| pass.key.clone());
    extend(&mut into.edges, other.edges, |edge| format!("{edge:?}"));
    extend(&mut into.suppressed, other.suppressed, |finding| finding.fingerprint.clone());
    // What one program had no use for, another may have had.
    into.unused.retain(|unused| other.unused.contains(unused));
    into.limits.extend(other.limits);
    into.frames.seen += other.frames.seen;
    into.frames.steady += other.frames.steady;
    let (traffic, more) = (&mut into.traffic, other.traffic);
    traffic.load_bytes = traffic.load_bytes.zip(more.load_bytes).map(|(a, b)| a + b);
    traffic.store_bytes = traffic.store_bytes.zip(more.store_bytes).map(|(a, b)| a + b);
    traffic.avoidable_bytes += more.avoidable_bytes;
    traffic.passes = traffic.passes.zip(more.passes).map(|(a, b)| a + b);
    add(&mut into.unknown.commands, other.unknown.commands);
    add(&mut into.unknown.structures, other.unknown.structures);
    into.recording = into.recording.or(other.recording);
    let complete = |run: &serde_json::Value| run.get("complete") != Some(&false.into());
    if !complete(&other.run) {
        into.run["complete"] = false.into();
    }
    into
}

fn extend<T>(into: &mut Vec<T>, other: Vec<T>, key: impl Fn(&T) -> String) {
    for item in other {
        if !into.iter().any(|known| key(known) == key(&item)) {
            into.push(item);
        }
    }
}

fn add(into: &mut BTreeMap<String, u64>, other: BTreeMap<String, u64>) {
    for (name, count) in other {
        *into.entry(name).or_default() += count;
    }
}

/// Sorts findings as a report has them: the worst level first, then the dearest.
pub fn sort(findings: &mut [Finding]) {
    let level = |finding: &Finding| match finding.level.as_str() {
        "deny" | "forbid" => 0,
        "warn" => 1,
        _ => 2,
    };
    let bytes = |finding: &Finding| {
        let cost = &finding.cost;
        Reverse((cost.load_bytes + cost.store_bytes, cost.memory_bytes))
    };
    findings.sort_by(|a, b| {
        let key = |f: &Finding| (level(f), f.only_unsteady, bytes(f));
        key(a).cmp(&key(b)).then_with(|| (&a.rule, &a.fingerprint).cmp(&(&b.rule, &b.fingerprint)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(fingerprints: &[&str]) -> Report {
        let finding = |fingerprint: &&str| Finding {
            fingerprint: (*fingerprint).to_owned(),
            count: 2,
            ..Finding::default()
        };
        Report {
            findings: fingerprints.iter().map(finding).collect(),
            run: serde_json::json!({"complete": fingerprints.len() < 2}),
            ..Report::default()
        }
    }

    #[test]
    fn one_cause_in_two_processes_is_one_finding() {
        assert!(join(Vec::new()).is_none());
        let joined = join(vec![report(&["b"]), report(&["a", "b"])]).expect("there are some");
        let found: Vec<_> =
            joined.findings.iter().map(|f| (f.fingerprint.as_str(), f.count)).collect();
        assert_eq!(found, [("a", 2), ("b", 4)]);
        assert_eq!(joined.run["complete"], false, "one that was cut short cuts the whole short");
    }
}
