//! Tells the program which commit it was built from, if that can be known, and where the playground's module is, if there is one.

use std::path::Path;
use std::process::Command;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let git = |args: &[&str]| -> Option<String> {
        let out = Command::new("git").arg("-C").arg(&root).args(args).output().ok()?;
        out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_string())
    };
    // An unpacked archive may lie inside of someone else's repository.
    let ours = |top: &String| match (Path::new(top).canonicalize(), root.canonicalize()) {
        (Ok(top), Ok(root)) => top == root,
        _ => false,
    };
    let commit = || {
        git(&["rev-parse", "--show-toplevel"]).filter(ours)?;
        let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
        let changed = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|s| !s.is_empty());
        Some(if changed { format!("{commit} with changes") } else { commit })
    };
    playground(&root);
    println!("cargo::rustc-env=STRAT_COMMIT={}", commit().unwrap_or_else(|| "unknown".into()));
    // A commit or a change to the source makes the answer another.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={}", root.join(log).display());
    }
    for part in ["crates", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", root.join(part).display());
    }
}

/// The playground's module, if `web/build` has made it. A crate that was published has none.
fn playground(root: &Path) {
    println!("cargo::rustc-check-cfg=cfg(playground)");
    if root.join("web").is_dir() {
        println!("cargo::rerun-if-changed={}", root.join("web").display());
    }
    if let Ok(module) = root.join("web/dist/strat.wasm.lzma").canonicalize() {
        println!("cargo::rustc-cfg=playground");
        println!("cargo::rustc-env=STRAT_MODULE={}", module.display());
    }
}
