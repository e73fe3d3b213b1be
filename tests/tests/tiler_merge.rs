//! Which subpasses share a visit to the tiles, by vendor and reason.

use ash::vk;
use tilelint::profile;
use tilelint::tiler::{MergeStatus, PassShape, forecast, merge, spec};

/// Two subpasses: the second reads colour of the first as input.
fn deferred(dependency: &str) -> PassShape {
    let lines = [
        "fb 1024 1024",
        "att RGBA8 1 clear dc dc dc",
        "att D24S8 1 clear dc clear dc",
        "att RGBA8 1 dc store dc dc",
        "sub color=0 ds=1",
        "sub color=2 input=0",
        dependency,
        "op draw 100",
    ];
    spec::parse(lines).unwrap()
}

const LOCAL: &str = "dep 0 1 color frag cw input region";

fn statuses(target: &str, pass: &PassShape) -> Vec<MergeStatus> {
    let profile = profile::by_name(target).unwrap();
    merge::evaluate(pass, profile).iter().map(|merge| merge.status).collect()
}

#[test]
fn merging_by_vendor() {
    use MergeStatus::{Dependencies, Disallowed, Merged};
    let good = deferred(LOCAL);
    let bad = deferred("dep 0 1 color frag cw input none");
    let wide = deferred("dep 0 1 allgfx allgfx cw input region");
    for target in ["quest2", "quest3", "mali-g78", "mali-g71", "powervr-rogue", "generic-tiler"] {
        assert_eq!(statuses(target, &good), [Merged, Merged], "{target}");
        assert_eq!(statuses(target, &bad), [Merged, Dependencies], "{target}");
        assert_eq!(statuses(target, &wide), [Merged, Dependencies], "{target}");
    }
    for target in ["apple-m1", "moltenvk"] {
        assert_eq!(statuses(target, &good), [Merged, Disallowed], "{target}");
    }
    let single = spec::simple([64, 64], 1, 1, &[vk::Format::R8G8B8A8_UNORM]);
    assert_eq!(statuses("quest2", &single), [MergeStatus::SingleSubpass]);
}

/// What becomes of the second subpass after a change.
fn second(target: &str, change: impl Fn(&mut PassShape)) -> MergeStatus {
    let mut pass = deferred(LOCAL);
    change(&mut pass);
    statuses(target, &pass)[1]
}

#[test]
fn samples_views_and_side_effects() {
    for target in ["mali-g78", "powervr-rogue", "v3d-7"] {
        let samples = second(target, |pass| pass.attachments[2].samples = 4);
        assert_eq!(samples, MergeStatus::SamplesMismatch, "{target}");
        let views = second(target, |pass| pass.subpasses[1].view_mask = 3);
        assert_eq!(views, MergeStatus::ViewsMismatch, "{target}");
        let effects = second(target, |pass| pass.subpasses[0].side_effects = true);
        assert_eq!(effects, MergeStatus::SideEffects, "{target}");
    }
    // On a GPU that bins, only dependencies cost a pass its tile memory.
    let samples = second("quest2", |pass| pass.attachments[2].samples = 4);
    assert_eq!(samples, MergeStatus::Merged);
}

#[test]
fn another_depth_attachment() {
    let other = |pass: &mut PassShape| {
        pass.subpasses[1].depth_stencil = Some(3);
        pass.attachments.push(pass.attachments[1].clone());
    };
    assert_eq!(second("mali-g78", other), MergeStatus::DepthStencilCount);
    // The old one is done with and the new one is cleared: registers do not care.
    assert_eq!(second("powervr-rogue", other), MergeStatus::Merged);
    let loaded = second("powervr-rogue", |pass| {
        other(pass);
        pass.attachments[3].load = vk::AttachmentLoadOp::LOAD;
    });
    assert_eq!(loaded, MergeStatus::DepthStencilCount);
}

#[test]
fn storage_and_attachment_limits() {
    let wide = |pass: &mut PassShape| {
        pass.attachments[0].format = vk::Format::R32G32B32A32_SFLOAT;
    };
    assert_eq!(second("mali-g71", wide), MergeStatus::InsufficientStorage);
    assert_eq!(second("mali-g78", wide), MergeStatus::Merged);
    assert_eq!(second("powervr-volcanic", wide), MergeStatus::InsufficientStorage);
    let many = second("mali-g720", |pass| {
        for index in 3..10 {
            pass.attachments.push(pass.attachments[0].clone());
            pass.subpasses[0].color.push(Some(index));
        }
    });
    assert_eq!(many, MergeStatus::TooManyAttachments);
}

#[test]
fn subpasses_that_share_nothing() {
    let unrelated = |pass: &mut PassShape| pass.subpasses[1].input.clear();
    assert_eq!(second("mali-g78", unrelated), MergeStatus::Unspecified);
}

#[test]
fn resolve_targets_that_are_used_again() {
    let resolved = |pass: &mut PassShape| {
        pass.attachments.iter_mut().for_each(|attachment| attachment.samples = 4);
        pass.attachments.push(pass.attachments[0].clone());
        pass.attachments[3].samples = 1;
        pass.subpasses[0].resolve = vec![Some(3)];
        pass.subpasses[1].input = vec![Some(3)];
    };
    assert_eq!(second("mali-g78", resolved), MergeStatus::ResolveAttachmentReuse);
    assert_eq!(second("powervr-rogue", resolved), MergeStatus::ResolveAttachmentReuse);
}

#[test]
fn input_attachments_that_registers_cannot_give() {
    let stencil = |pass: &mut PassShape| pass.subpasses[1].input = vec![Some(1)];
    let status = MergeStatus::IncompatibleInputAttachment;
    assert_eq!(second("powervr-rogue", stencil), status);
    let multisampled = |pass: &mut PassShape| {
        pass.attachments.iter_mut().for_each(|attachment| attachment.samples = 4);
    };
    assert_eq!(second("powervr-rogue", multisampled), status);
    assert_eq!(second("mali-g610", multisampled), MergeStatus::Merged);
}

#[test]
fn equal_attachments_only() {
    let same = |pass: &mut PassShape| pass.subpasses[1] = pass.subpasses[0].clone();
    assert_eq!(second("v3d-7", same), MergeStatus::Merged);
    let other = |pass: &mut PassShape| pass.subpasses[1].depth_stencil = Some(1);
    assert_eq!(second("v3d-7", other), MergeStatus::Unspecified);
}

#[test]
fn reasons_have_the_words_of_the_extension() {
    let wide = deferred("dep 0 1 allgfx allgfx cw input region");
    let forecast = forecast(&wide, profile::by_name("quest2").unwrap());
    let reason = forecast.reason.unwrap().to_string();
    assert!(reason.starts_with("subpass 1 is not merged: dependencies (dependency 0"), "{reason}");
    let status = MergeStatus::Dependencies.to_vk();
    assert_eq!(status, vk::SubpassMergeStatusEXT::NOT_MERGED_DEPENDENCIES);
}

#[test]
fn a_split_pass_stores_for_its_second_visit() {
    let stages = |target: &str, dependency: &str| {
        let forecast = forecast(&deferred(dependency), profile::by_name(target).unwrap());
        let words: Vec<&str> = forecast.stages.iter().map(|stage| stage.as_str()).collect();
        (words.join(" "), forecast.visits.len())
    };
    let split = "dep 0 1 color vert cw sr region";
    assert_eq!(stages("quest2", LOCAL), ("Binning Render StoreColor".to_owned(), 1));
    let twice = "Binning Render StoreColor Binning Render StoreColor".to_owned();
    assert_eq!(stages("quest2", split), (twice, 2));
    assert_eq!(stages("mali-g78", LOCAL), ("Render StoreColor".to_owned(), 1));
    let twice = "Render StoreColor Render StoreColor".to_owned();
    assert_eq!(stages("mali-g78", split), (twice, 2));
}
