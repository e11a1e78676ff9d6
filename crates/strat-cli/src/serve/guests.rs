//! Who is connected. Those who have not yet said what they want make room for those who come.

use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most conversations at a time.
const MOST: usize = 8;
/// Most threads at a time: those of guests who were sent away end in a moment.
const MOST_THREADS: usize = 64;

/// All of them.
#[derive(Default)]
pub struct Guests(Mutex<List>);

#[derive(Default)]
struct List {
    /// Those whose request has not come, from the first to come to the last, with a way to end their wait.
    silent: Vec<(u64, TcpStream)>,
    /// How many are being answered.
    heard: usize,
    /// How many have come.
    count: u64,
    threads: usize,
}

/// One of them, until this value is dropped.
pub struct Guest<'a> {
    guests: &'a Guests,
    number: u64,
    heard: bool,
}

impl Guests {
    fn list(&self) -> MutexGuard<'_, List> {
        // Whoever panicked did not do so in the middle of a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets somebody in. If there is no room, the one who has been silent for longest goes; if all are being
    /// answered, nobody comes in.
    pub fn admit(&self, stream: &TcpStream) -> Option<Guest<'_>> {
        let handle = stream.try_clone().ok()?;
        let mut list = self.list();
        if list.threads == MOST_THREADS {
            return None;
        }
        if list.silent.len() + list.heard >= MOST {
            if list.silent.is_empty() {
                return None;
            }
            let (_, longest) = list.silent.remove(0);
            // Its thread reads the end of the request and ends.
            let _ = longest.shutdown(Shutdown::Both);
        }
        list.count += 1;
        list.threads += 1;
        let number = list.count;
        list.silent.push((number, handle));
        Some(Guest { guests: self, number, heard: false })
    }
}

impl Guest<'_> {
    /// Its request has come, and it stays until it is answered; `false` if it was sent away before.
    pub fn is_heard(&mut self) -> bool {
        let mut list = self.guests.list();
        self.heard = list.forget(self.number);
        list.heard += usize::from(self.heard);
        self.heard
    }

    /// Its answer is sent, and it only has to take it: it is the first to go.
    pub fn is_answered(&mut self, stream: &TcpStream) {
        let mut list = self.guests.list();
        list.heard -= usize::from(std::mem::take(&mut self.heard));
        if let Ok(handle) = stream.try_clone() {
            list.silent.insert(0, (self.number, handle));
        }
    }
}

impl List {
    /// Whether it was silent till now.
    fn forget(&mut self, number: u64) -> bool {
        let before = self.silent.len();
        self.silent.retain(|(silent, _)| *silent != number);
        self.silent.len() < before
    }
}

impl Drop for Guest<'_> {
    fn drop(&mut self) {
        let mut list = self.guests.list();
        list.threads -= 1;
        list.heard -= usize::from(self.heard);
        list.forget(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::net::TcpListener;

    #[test]
    fn the_silent_make_room_and_those_being_answered_do_not() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let pair = || (TcpStream::connect(address).unwrap(), listener.accept().unwrap().0);
        let guests = Guests::default();
        let mut inside = vec![];
        for _ in 0..MOST {
            let (client, server) = pair();
            inside.push((guests.admit(&server).unwrap(), client, server));
        }
        // The second is heard; the first is the one who goes.
        assert!(inside[1].0.is_heard());
        let (_next, server) = pair();
        let next = guests.admit(&server).unwrap();
        assert_eq!(inside[0].1.read(&mut [0]).unwrap(), 0, "sent away");
        assert!(!inside[0].0.is_heard());
        drop(next);
        inside.remove(0);
        // One has gone, so there is room for one; then all are heard, and there is none.
        let (client, server) = pair();
        inside.push((guests.admit(&server).unwrap(), client, server));
        inside[1..].iter_mut().for_each(|(guest, ..)| assert!(guest.is_heard()));
        let (_late, server) = pair();
        assert!(guests.admit(&server).is_none());
        // Who has an answer goes before anybody who waits for one.
        let (guest, _, stream) = &mut inside[3];
        guest.is_answered(stream);
        assert!(guests.admit(&server).is_some());
        drop(inside);
        let list = guests.list();
        assert_eq!((list.silent.len(), list.heard, list.threads), (0, 0, 0));
    }
}
