//! Every rule's page is played: its listings linted, its reports compared.
//!
//! `UPDATE=1` writes the reports of `Bad`, and those of cases that have one.

use std::env;
use std::fs;

use tilelint::rule::Rule;
use tilelint::rules;
use tilelint_tests::page::{SECTIONS, path, play};

#[test]
fn every_page_says_what_its_rule_does() {
    let update = env::var_os("UPDATE").is_some_and(|value| value == "1");
    let all: Vec<&'static Rule> = rules::all().collect();
    let mut problems = String::new();
    for rule in &all {
        let path = path(rule);
        let page = fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
        let mut played = play(&page, rule, &all);
        if update && played.updated != page {
            fs::write(&path, &played.updated).expect("the page can be written");
            played = play(&played.updated, rule, &all);
        }
        for problem in played.problems {
            problems += &format!("{}: {problem}\n", rule.name);
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
}

/// A page of a rule that exists, so that the machinery is seen to tell right from wrong.
fn page(bad: &str, report: &str, good: &str, cases: &str) -> String {
    let mut page = "# `msaa-store`\n\nOne line.\n".to_owned();
    for section in SECTIONS {
        let text = match section {
            "Bad" => format!("```calls targets=quest2\n{bad}```\n{report}"),
            "Good" => format!("```calls targets=quest2\n{good}```\n"),
            "Cases" => cases.to_owned(),
            _ => "Text.\n".to_owned(),
        };
        page += &format!("\n## {section}\n\n{text}");
    }
    page
}

fn listing(store: &str) -> String {
    let usage = "usage=COLOR_ATTACHMENT|TRANSIENT_ATTACHMENT";
    format!(
        "image ms format=R8G8B8A8_UNORM extent=1024x1024 {usage} samples=4 memory=lazy\n\
         image eye format=R8G8B8A8_UNORM extent=1024x1024 usage=COLOR_ATTACHMENT memory=xr\n\
         repeat 5\n  pass main\n    attach ms load=CLEAR store={store} resolve=eye\n    \
         draw vertices=3\n  end\n  frame\nend\n"
    )
}

fn problems(page: &str) -> Vec<String> {
    let rule = rules::by_name("msaa-store").expect("is a rule");
    let all: Vec<&'static Rule> = rules::all().collect();
    play(page, rule, &all).problems
}

#[test]
fn a_page_is_written_and_then_right() {
    let (bad, good) = (listing("STORE"), listing("DONT_CARE"));
    let rule = rules::by_name("msaa-store").expect("is a rule");
    let all: Vec<&'static Rule> = rules::all().collect();
    let cases = format!("### quiet\n\n```calls\n{good}```\n");
    let first = play(&page(&bad, "", &good, &cases), rule, &all);
    assert_eq!(first.problems.len(), 1, "{:?}", first.problems);
    assert!(first.problems[0].ends_with("`Bad` has no report; UPDATE=1 writes it"));
    assert!(first.updated.contains("\n```report\nwarning[msaa-store]: "), "{}", first.updated);
    let second = play(&first.updated, rule, &all);
    assert_eq!(second.problems, Vec::<String>::new());
    assert_eq!(second.updated, first.updated);
    assert_eq!(second.fences, 3);
    let stale = first.updated.replace("asks for 16.8 MB", "asks for 1.0 MB");
    assert_ne!(stale, first.updated, "the cost is in the report");
    let third = play(&stale, rule, &all);
    assert!(third.problems[0].contains("the report differs"), "{:?}", third.problems);
    assert_eq!(third.updated, first.updated);
}

#[test]
fn wrong_pages_are_told() {
    let (bad, good) = (listing("STORE"), listing("DONT_CARE"));
    let report = "\n```report\nx\n```\n";
    let is = |page: &str, expected: &str| {
        let problems = problems(page);
        assert!(problems.iter().any(|p| p.contains(expected)), "{expected}: {problems:?}");
    };
    is(&page(&good, report, &good, "Text.\n"), "`Bad` does not report msaa-store");
    is(&page(&bad, "", &bad, "Text.\n"), "a listing without a report must be silent");
    let loud = format!("```calls\n{bad}```\n");
    is(&page(&bad, "", &good, &loud), "a listing without a report must be silent");
    let quiet = format!("```calls\n{good}```\n{report}");
    is(&page(&bad, "", &good, &quiet), "a report, but the listing gives no finding");
    is(&page(&bad, "", &good, report), "a report without a listing");
    is(&page("imgae x\n", "", &good, "Text.\n"), "the listing: line 1, column 1");
    is(&page(&bad, "", &good, ""), "`Cases` is empty");
    is(&page(&bad, "", &good, "```calls\n"), "the fence is not closed");
    let page = page(&bad, "", &good, "Text.\n");
    is(&page.replace("## Fix", "## Mend"), "the sections are");
    is(&page.replace("# `msaa-store`", "# `x`"), "the title must be");
    is(&page.replace("One line.\n", "Two\nlines.\n"), "the first paragraph must be one line");
}
