//! One frame in three forms, render pass 1, render pass 2 and dynamic rendering, is one frame: it
//! gets the same findings, with the same identity, words and figures.

use std::path::Path;

use tilelint::finding::Finding;
use tilelint_tests::cases::{Case, cases, findings};

/// What only render passes, or only dynamic rendering, can say.
const ONE_FORM: &[&str] = &[
    "subpass ",
    "dependency ",
    "renderpass ",
    "initial=",
    "as=resolve",
    "as=none",
    "SUSPENDING",
    "via=dynamic",
];

/// The listing with all its passes in one form.
fn with_form(text: &str, form: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let pass = line.trim_start().starts_with("pass ");
        out += line;
        if pass {
            out += " via=";
            out += form;
        }
        out.push('\n');
    }
    out
}

/// All of a finding that has nothing to do with the form: names of calls and fields, and the edits
/// that use them, are the form's own.
fn verdict(finding: &Finding) -> String {
    format!(
        "{} {:?} {:?} {:016x} {:?} {:?} {:?} count {} from {}, {} a frame, for {:?}, notes {:?}",
        finding.rule,
        finding.level,
        finding.confidence,
        finding.fingerprint,
        finding.message,
        finding.why,
        finding.cost,
        finding.count,
        finding.first_frame,
        finding.per_frame,
        finding.targets,
        finding.notes,
    )
}

fn verdicts(case: &Case, form: &str) -> Vec<String> {
    let text = with_form(&case.text, form);
    let findings =
        findings(&text).unwrap_or_else(|error| panic!("{} {form}: {error}", case.name()));
    findings.iter().map(verdict).collect()
}

#[test]
fn the_form_of_a_pass_changes_nothing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let cases = cases(&folder).expect("the folder has cases");
    let has_one_form = |case: &&Case| ONE_FORM.iter().any(|word| case.text.contains(word));
    let (one, three): (Vec<_>, Vec<_>) = cases.iter().partition(has_one_form);
    println!("{} cases in three forms; {} can be said in one form only", three.len(), one.len());
    assert!(three.len() > one.len(), "the test compares most cases");
    let (mut loud, mut faults) = (0, Vec::new());
    for case in three {
        let first = verdicts(case, "rp1");
        loud += usize::from(!first.is_empty());
        for form in ["rp2", "dynamic"] {
            let other = verdicts(case, form);
            if other != first {
                let name = case.name();
                faults.push(format!(
                    "{name}\n  rp1:\n    {}\n  {form}:\n    {}",
                    first.join("\n    "),
                    other.join("\n    ")
                ));
            }
        }
    }
    assert!(loud >= 20, "only {loud} of the cases have findings to compare");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
