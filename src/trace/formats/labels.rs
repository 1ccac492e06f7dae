//! Replaces names by numbers: the names of users, groups, applications and queues.

use std::collections::HashMap;

/// The names seen so far. They are numbered from 1 in the order of their first appearance.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels(HashMap<Vec<u8>, i64>);

impl Labels {
    /// Returns the number of `name`. A new name gets the next number.
    pub(super) fn number(&mut self, name: &[u8]) -> i64 {
        if let Some(&number) = self.0.get(name) {
            return number;
        }
        let number = self.0.len() as i64 + 1;
        self.0.insert(name.to_vec(), number);
        number
    }
}
