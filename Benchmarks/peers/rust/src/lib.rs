//! What the drivers of hyper and reqwest have in common: the arguments of `floor` and `http-bench`, and its line.
//!
//! C tasks on one thread send N requests in total. CA=file trusts only that file, VERIFY=0 verifies nothing. Each task
//! first sends 3 requests that are not counted. Files are those of tokio, so that they do not block the thread.
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::rc::Rc;
use std::time::Instant;

pub struct Arguments {
    pub mode: String,
    pub url: String,
    pub n: usize,
    pub c: usize,
}

pub type Outcome = Result<usize, String>;

pub fn fail(text: &str) -> ! {
    eprintln!("{text}");
    std::process::exit(1)
}

pub fn arguments() -> Arguments {
    let words: Vec<String> = std::env::args().collect();
    if words.len() != 5 {
        eprintln!("usage: {} get|close|down|save|up URL N C", words[0]);
        std::process::exit(2);
    }
    let number = |text: &String| text.parse().ok().filter(|n| *n > 0).unwrap_or_else(|| fail("N and C are at least 1"));
    if !["get", "close", "down", "save", "up"].contains(&words[1].as_str()) {
        fail("the mode is get, close, down, save or up");
    }
    Arguments { mode: words[1].clone(), url: words[2].clone(), n: number(&words[3]), c: number(&words[4]) }
}

/// Creates the file SAVE, or empties it.
pub async fn created() -> Result<tokio::fs::File, String> {
    let path = std::env::var("SAVE").map_err(|_| "SAVE names no file")?;
    tokio::fs::File::create(path).await.map_err(|error| error.to_string())
}

/// Opens the file UPLOAD; returns it with its length.
pub async fn opened() -> Result<(tokio::fs::File, u64), String> {
    let path = std::env::var("UPLOAD").map_err(|_| "UPLOAD names no file")?;
    let file = tokio::fs::File::open(path).await.map_err(|error| error.to_string())?;
    let length = file.metadata().await.map_err(|error| error.to_string())?.len();
    Ok((file, length))
}

fn usage() -> libc::rusage {
    // SAFETY: getrusage fills the structure, which may be all zeros.
    unsafe {
        let mut use_ = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut use_);
        use_
    }
}

fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}

/// Runs the tasks and prints the line. `send(is_warm_up)` sends one request and returns the length of its body.
pub fn run<S, F>(peer: &str, arguments: &Arguments, send: S)
where
    S: Fn(bool) -> F + Clone + 'static,
    F: Future<Output = Outcome> + 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let local = tokio::task::LocalSet::new();
    let (n, c) = (arguments.n, arguments.c);
    local.block_on(&runtime, async move {
        let warm_up: Vec<_> = (0..c)
            .map(|_| {
                let send = send.clone();
                tokio::task::spawn_local(async move {
                    for _ in 0..3 {
                        if let Err(error) = send(true).await {
                            fail(&format!("the warm-up failed: {error}"));
                        }
                    }
                })
            })
            .collect();
        for task in warm_up {
            task.await.expect("a task");
        }
        let remaining = Rc::new(Cell::new(n));
        let (bytes, errors) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
        let times = Rc::new(RefCell::new(Vec::with_capacity(n)));
        let (before, start) = (usage(), Instant::now());
        let tasks: Vec<_> = (0..c)
            .map(|_| {
                let (send, remaining, times) = (send.clone(), remaining.clone(), times.clone());
                let (bytes, errors) = (bytes.clone(), errors.clone());
                tokio::task::spawn_local(async move {
                    while remaining.get() > 0 {
                        remaining.set(remaining.get() - 1);
                        let begun = Instant::now();
                        match send(false).await {
                            Ok(count) => {
                                bytes.set(bytes.get() + count);
                                times.borrow_mut().push(begun.elapsed().as_secs_f64());
                            }
                            Err(error) => {
                                eprintln!("{error}");
                                errors.set(errors.get() + 1);
                            }
                        }
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("a task");
        }
        let (wall, after) = (start.elapsed().as_secs_f64(), usage());
        let mut times = times.borrow_mut();
        times.sort_by(f64::total_cmp);
        let at = |part: f64| times.get((times.len() as f64 * part) as usize).copied().unwrap_or(0.0) * 1e6;
        let user = seconds(after.ru_utime) - seconds(before.ru_utime);
        let sys = seconds(after.ru_stime) - seconds(before.ru_stime);
        println!(
            "peer={peer} n={n} c={c} wall_s={wall:.3} rps={:.0} p50_us={:.1} p99_us={:.1} user_us_per_req={:.2} \
             sys_us_per_req={:.2} cpu_s={:.3} maxrss_kib={} bytes={} errors={}",
            n as f64 / wall, at(0.5), at(0.99), user * 1e6 / n as f64, sys * 1e6 / n as f64, user + sys,
            after.ru_maxrss, bytes.get(), errors.get()
        );
        if errors.get() > 0 {
            std::process::exit(1);
        }
    });
}
