//! Standard error, for what is said beside the results.

/// Says something on standard error. That nobody can hear it ends no work, and names of others cannot command the terminal.
macro_rules! say {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let said = format!($($words)*);
        let _ = writeln!(std::io::stderr(), "{}", strat::escape::visible(&said));
    }};
}
pub(crate) use say;
