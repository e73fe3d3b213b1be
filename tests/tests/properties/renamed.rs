//! The same program with other handles, on another machine, for longer.

use std::fmt::Write as _;

use tilelint::call::listing::{Listing, parse};
use tilelint_tests::flat::{Block, Flat};

/// A line that makes an object of a kind, to be destroyed at once.
fn line_of(kind: &str, name: &str) -> Option<String> {
    let rest = match kind {
        "image" => "format=R8_UNORM extent=1x1 usage=SAMPLED memory=none",
        "memory" => "size=1 type=device",
        "view" => "of=zz_image",
        "buffer" => "size=1 usage=TRANSFER_SRC memory=none",
        "renderpass" => "\nend",
        "framebuffer" => "of=zz_pass extent=1x1 views=none",
        "set-layout" => "bindings=none",
        "pipeline-layout" => "sets=none",
        "descriptor-set" => "layout=zz_layout",
        "semaphore" | "fence" | "event" => "",
        "query-pool" => "type=OCCLUSION count=1",
        "swapchain" => "format=R8G8B8A8_UNORM extent=1x1",
        _ => return None,
    };
    Some(format!("{kind} {name} {rest}"))
}

/// How handles differ.
#[derive(Clone, Copy, Debug)]
pub enum Handles {
    /// In the reverse order.
    Reversed,
    /// Far from the first ones, and in another order.
    Far,
}

/// The listing with other handles.
///
/// The reader hands out handles in the order in which names appear: objects with these names are
/// made and destroyed in front, and what made them is taken out of what was read.
pub fn with_other_handles(flat: &Flat, handles: Handles, source: &str) -> Listing {
    let made = flat.blocks.iter().filter_map(|block| {
        Some((block.verb(), block.subject()?)).filter(|(kind, name)| line_of(kind, name).is_some())
    });
    let mut names: Vec<(&str, &str)> = made.collect();
    names.dedup();
    names.reverse();
    let far: Vec<String> = (0..40).map(|n| format!("zz_far{n}")).collect();
    if matches!(handles, Handles::Far) {
        let kinds = ["image", "memory", "view", "buffer", "semaphore", "framebuffer"];
        let far = kinds.iter().flat_map(|kind| far.iter().map(move |name| (*kind, &**name)));
        names = far.chain(names.iter().step_by(2).copied()).collect();
    }
    read_after(flat, &names, source)
}

fn read_after(flat: &Flat, names: &[(&str, &str)], source: &str) -> Listing {
    let mut front = String::from(
        "image zz_image format=R8_UNORM extent=1x1 usage=SAMPLED memory=none\nrenderpass \
         zz_pass\nend\nset-layout zz_layout bindings=none\n",
    );
    for (kind, name) in names {
        let line = line_of(kind, name).unwrap_or_default();
        let _ = writeln!(front, "{line}\ndestroy {name}");
    }
    let at = flat.after_device();
    let lines = |blocks: &[Block]| {
        let lines = blocks.iter().flat_map(|block| block.lines.iter().map(|l| l.clone() + "\n"));
        lines.collect::<String>()
    };
    let device = format!("{}\n{}", flat.header, lines(&flat.blocks[..at]));
    let text = format!("{device}{front}{}", lines(&flat.blocks[at..]));
    let mut listing = parse(&text).unwrap_or_else(|error| panic!("{source}: {error}\n{text}"));
    let first = device.lines().count() as u32;
    let last = first + front.lines().count() as u32;
    listing.entries.retain(|entry| !(first + 1..=last).contains(&entry.line.0));
    listing
}

/// The listing on a device and driver of another name.
pub fn on_another_machine(flat: &Flat) -> Flat {
    let mut blocks = flat.blocks.clone();
    let named = |block: &Block| block.verb() == "device" && !block.lines[0].contains("joined=on");
    for block in blocks.iter_mut().filter(|block| named(block)) {
        let own =
            |word: &&str| !["vendor=", "id=", "name="].iter().any(|key| word.starts_with(key));
        let words: Vec<&str> = block.words().filter(own).collect();
        block.lines[0] = words.join(" ") + " vendor=0x5143 id=0x43051401 name=\"Other GPU 9\"";
    }
    Flat { blocks, ..flat.clone() }
}

/// The listing with four more rounds of what it repeats; none where it repeats nothing, or too
/// little for a verdict.
pub fn with_more_frames(text: &str) -> Option<String> {
    let mut longer = false;
    let line = |line: &str| {
        let rounds = line.strip_prefix("repeat ").map(|n| n.split(' ').next().unwrap_or_default());
        match rounds.and_then(|n| n.parse::<u32>().ok()).filter(|n| (5..100).contains(n)) {
            Some(n) => {
                longer = true;
                format!("repeat {}\n", n + 4)
            }
            None => format!("{line}\n"),
        }
    };
    let text: String = text.lines().map(line).collect();
    longer.then_some(text)
}
