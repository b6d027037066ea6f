//! hyper's client with its pool, without TLS.
use hyper::body::HttpBody;
use hyper::{Body, Client, Method, Request};

fn main() {
    let arguments = peers::arguments();
    let closes = arguments.mode == "close";
    let discards = arguments.mode == "down";
    let client: Client<_, Body> = Client::builder().pool_max_idle_per_host(if closes { 0 } else { arguments.c }).build_http();
    let url: hyper::Uri = arguments.url.parse().unwrap_or_else(|_| peers::fail("the URL is invalid"));
    if url.scheme_str() != Some("http") {
        peers::fail("hyper-bench has no TLS");
    }
    peers::run("hyper", &arguments, move |is_warm_up| {
        let method = if discards && is_warm_up { Method::HEAD } else { Method::GET };
        let mut request = Request::builder().method(method).uri(url.clone());
        if closes {
            request = request.header("Connection", "close");
        }
        let sent = client.request(request.body(Body::empty()).expect("a request"));
        async move {
            let response = sent.await.map_err(|error| error.to_string())?;
            if response.status() != 200 {
                return Err(format!("the status is {}", response.status()));
            }
            let mut body = response.into_body();
            if !discards {
                return hyper::body::to_bytes(body).await.map(|bytes| bytes.len()).map_err(|error| error.to_string());
            }
            let mut count = 0;
            while let Some(piece) = body.data().await {
                count += piece.map_err(|error| error.to_string())?.len();
            }
            Ok(count)
        }
    });
}
