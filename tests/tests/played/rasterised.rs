//! Playing a listing on a driver that renders gives the findings of linting it: the judgement is
//! for the target, so that the driver does not matter. What such a driver lacks is its own word.

use std::collections::BTreeMap;
use std::sync::Mutex;

use tilelint_tests::pieces::{self, Piece, same};
use tilelint_tests::played::Stage;

use crate::is_repeated;

/// Listings that the null driver can repeat and the one that renders cannot, and why.
const NOT_RENDERED: [(&str, &str); 0] = [];

const LAYOUTS: &str = "a listing need not say the barriers between its passes";
const WAITS: &str = "a listing need not say that the program waits before it destroys";
const MISTAKE: &str = "it is the mistake, or the doubtful case, that the page shows";
const SHORT: &str = "a buffer that a draw reads is bound as a uniform buffer";
const COUNTER: &str = "each frame signals the value of the first again";

/// What the validation layer says of listings, and why it is theirs and not the player's doing.
const INVALID: [(&str, &str); 22] = [
    ("UNASSIGNED-CoreValidation-DrawState-InvalidImageLayout", LAYOUTS),
    ("UNASSIGNED-CoreValidation-DrawState-InvalidRenderpass", LAYOUTS),
    ("VUID-VkAttachmentDescription2-format-06699", MISTAKE),
    ("VUID-VkDescriptorImageInfo-imageLayout-00344", LAYOUTS),
    ("VUID-VkImageCreateInfo-usage-00963", MISTAKE),
    ("VUID-VkPresentInfoKHR-pImageIndices-01296", LAYOUTS),
    ("VUID-VkRenderPassCreateInfo2-pDependencies-03054", MISTAKE),
    ("VUID-VkRenderPassCreateInfo2-pDependencies-03055", MISTAKE),
    ("VUID-VkRenderingInfo-pDepthAttachment-06104", MISTAKE),
    ("VUID-VkSubmitInfo-pSignalSemaphores-03242", COUNTER),
    ("VUID-VkSubpassDependency2-srcSubpass-06810", MISTAKE),
    ("VUID-VkSubpassDescriptionDepthStencilResolve-pDepthStencilResolveAttachment-03178", MISTAKE),
    ("VUID-VkWriteDescriptorSet-descriptorType-00330", SHORT),
    ("VUID-vkCmdBlitImage-dstImageLayout-00226", LAYOUTS),
    ("VUID-vkCmdBlitImage-srcImageLayout-00221", LAYOUTS),
    ("VUID-vkCmdCopyImage-srcImageLayout-00128", LAYOUTS),
    ("VUID-vkCmdCopyImageToBuffer-srcImageLayout-00190", LAYOUTS),
    ("VUID-vkCmdDispatch-None-02699", LAYOUTS),
    ("VUID-vkCmdDraw-None-02699", LAYOUTS),
    ("VUID-vkCmdPipelineBarrier2-pDependencies-02285", MISTAKE),
    ("VUID-vkCmdResolveImage-srcImageLayout-00260", LAYOUTS),
    ("VUID-vkDestroyFramebuffer-framebuffer-00892", WAITS),
];

/// What was seen of all pieces.
#[derive(Default)]
struct Seen {
    /// Pieces that were played.
    played: usize,
    /// What the driver lacks for the others.
    lacks: BTreeMap<String, Vec<String>>,
    /// What the validation layer says, by its name, and in which pieces.
    invalid: BTreeMap<String, Vec<String>>,
}

fn play(stage: &Stage, piece: &Piece, seen: &Mutex<Seen>) -> Result<(), String> {
    let (listing, linted) = piece.linted()?;
    let played = stage.play_printing(&piece.name, &listing, &piece.text, piece.rule, None);
    let mut seen = seen.lock().expect("no thread panicked");
    match played {
        Ok((played, printed)) => {
            seen.played += 1;
            for line in printed.lines().filter(|line| line.contains("Validation Error")) {
                let name = line.split(['(', ' ']).next().unwrap_or_default().to_owned();
                let pieces = seen.invalid.entry(name).or_default();
                if pieces.last() != Some(&piece.name) {
                    pieces.push(piece.name.clone());
                }
            }
            same(&linted, &played)
        }
        Err(failure) => {
            let Some((_, lacks)) = failure.split_once("the driver lacks: ") else {
                return Err(failure);
            };
            let lacks = lacks.lines().next().unwrap_or_default().to_owned();
            seen.lacks.entry(lacks).or_default().push(piece.name.clone());
            Ok(())
        }
    }
}

#[test]
fn listings_say_the_same_on_a_driver_that_renders() {
    let pieces = pieces::of_pages();
    let (stage, seen) = (Stage::rasterising(), Mutex::default());
    let failures = pieces::each(&pieces, |piece| play(&stage, piece, &seen));
    let seen: Seen = seen.into_inner().expect("no thread panicked");
    println!("{} of {} are played", seen.played, pieces.len());
    for (lacks, pieces) in &seen.lacks {
        println!("not played: {}: the driver lacks {lacks}", pieces.join(", "));
    }
    // Mesa 22.3 plays more than nine of ten; newer ones can do more.
    assert!(seen.played * 10 > pieces.len() * 9, "{} are played", seen.played);

    let known = |name: &str| !is_repeated(name) || NOT_RENDERED.iter().any(|(n, _)| *n == name);
    let unlike: Vec<_> = failures.into_iter().filter(|(name, _)| !known(name)).collect();
    crate::assert_none(&unlike, &pieces);

    let listed = |name: &str| INVALID.iter().any(|(n, _)| *n == name);
    let mut invalid = seen.invalid;
    assert!(!invalid.is_empty(), "the validation layer says nothing at all");
    invalid.retain(|name, _| !listed(name));
    assert!(invalid.is_empty(), "the player's calls are invalid: {invalid:#?}");
}
