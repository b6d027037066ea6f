//! hyper's client with its pool, without TLS.
use hyper::body::HttpBody;
use hyper::client::HttpConnector;
use hyper::{Body, Client, Method, Request, Uri};
use tokio::io::AsyncWriteExt;
use tokio_util::io::ReaderStream;

/// Writes a body to the file SAVE.
async fn save(client: Client<HttpConnector>, url: Uri) -> peers::Outcome {
    let response = client.get(url).await.map_err(|error| error.to_string())?;
    if response.status() != 200 {
        return Err(format!("the status is {}", response.status()));
    }
    let mut body = response.into_body();
    let mut file = peers::created().await?;
    let mut count = 0;
    while let Some(piece) = body.data().await {
        let piece = piece.map_err(|error| error.to_string())?;
        file.write_all(&piece).await.map_err(|error| error.to_string())?;
        count += piece.len();
    }
    file.flush().await.map_err(|error| error.to_string())?;
    Ok(count)
}

/// Sends the file UPLOAD. hyper reads no files, so the size of the pieces is chosen here: that of the floor.
async fn upload(client: Client<HttpConnector>, url: Uri) -> peers::Outcome {
    let (file, length) = peers::opened().await?;
    let request = Request::builder().method(Method::PUT).uri(url).header("Content-Length", length);
    let request = request.body(Body::wrap_stream(ReaderStream::with_capacity(file, 64 * 1024))).expect("a request");
    let response = client.request(request).await.map_err(|error| error.to_string())?;
    if !response.status().is_success() {
        return Err(format!("the status is {}", response.status()));
    }
    hyper::body::to_bytes(response.into_body()).await.map_err(|error| error.to_string())?;
    Ok(length as usize)
}

fn main() {
    let arguments = peers::arguments();
    let (closes, saves, uploads) = (arguments.mode == "close", arguments.mode == "save", arguments.mode == "up");
    let discards = arguments.mode == "down" || saves;
    let client: Client<_, Body> = Client::builder().pool_max_idle_per_host(if closes { 0 } else { arguments.c }).build_http();
    let url: Uri = arguments.url.parse().unwrap_or_else(|_| peers::fail("the URL is invalid"));
    if url.scheme_str() != Some("http") {
        peers::fail("hyper-bench has no TLS");
    }
    peers::run("hyper", &arguments, move |is_warm_up| {
        let file = ((saves || uploads) && !is_warm_up).then(|| (client.clone(), url.clone()));
        let method = if discards && is_warm_up { Method::HEAD } else { Method::GET };
        let mut request = Request::builder().method(method).uri(url.clone());
        if closes {
            request = request.header("Connection", "close");
        }
        let sent = client.request(request.body(Body::empty()).expect("a request"));
        async move {
            // In a box, so that other requests do not take its memory.
            if let Some((client, url)) = file {
                return if saves { Box::pin(save(client, url)).await } else { Box::pin(upload(client, url)).await };
            }
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
