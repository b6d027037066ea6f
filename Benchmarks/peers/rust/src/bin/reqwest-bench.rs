//! reqwest with OpenSSL.
use reqwest::{Client, Url};
use tokio::io::AsyncWriteExt;

/// Writes a body to the file SAVE.
async fn save(client: Client, url: Url) -> peers::Outcome {
    let mut response = client.get(url).send().await.map_err(|error| error.to_string())?;
    if response.status() != 200 {
        return Err(format!("the status is {}", response.status()));
    }
    let mut file = peers::created().await?;
    let mut count = 0;
    while let Some(piece) = response.chunk().await.map_err(|error| error.to_string())? {
        file.write_all(&piece).await.map_err(|error| error.to_string())?;
        count += piece.len();
    }
    file.flush().await.map_err(|error| error.to_string())?;
    Ok(count)
}

/// Sends the file UPLOAD, which reqwest reads in pieces of 4 KiB.
async fn upload(client: Client, url: Url) -> peers::Outcome {
    let (file, length) = peers::opened().await?;
    let request = client.put(url).header("Content-Length", length).body(file);
    let response = request.send().await.map_err(|error| error.to_string())?;
    if !response.status().is_success() {
        return Err(format!("the status is {}", response.status()));
    }
    response.bytes().await.map_err(|error| error.to_string())?;
    Ok(length as usize)
}

fn main() {
    let arguments = peers::arguments();
    let (closes, saves, uploads) = (arguments.mode == "close", arguments.mode == "save", arguments.mode == "up");
    let discards = arguments.mode == "down" || saves;
    let mut builder = Client::builder().no_proxy().pool_max_idle_per_host(if closes { 0 } else { arguments.c });
    if let Ok(file) = std::env::var("CA") {
        let text = std::fs::read(&file).unwrap_or_else(|error| peers::fail(&error.to_string()));
        let authority = reqwest::Certificate::from_pem(&text).unwrap_or_else(|error| peers::fail(&error.to_string()));
        builder = builder.tls_built_in_root_certs(false).add_root_certificate(authority);
    }
    if std::env::var("VERIFY").as_deref() == Ok("0") {
        builder = builder.danger_accept_invalid_certs(true);
    }
    let client = builder.build().unwrap_or_else(|error| peers::fail(&error.to_string()));
    let url: Url = arguments.url.parse().unwrap_or_else(|_| peers::fail("the URL is invalid"));
    peers::run("reqwest", &arguments, move |is_warm_up| {
        let file = ((saves || uploads) && !is_warm_up).then(|| (client.clone(), url.clone()));
        let mut request = if discards && is_warm_up { client.head(url.clone()) } else { client.get(url.clone()) };
        if closes {
            request = request.header("Connection", "close");
        }
        async move {
            // In a box, so that other requests do not take its memory.
            if let Some((client, url)) = file {
                return if saves { Box::pin(save(client, url)).await } else { Box::pin(upload(client, url)).await };
            }
            let mut response = request.send().await.map_err(|error| error.to_string())?;
            if response.status() != 200 {
                return Err(format!("the status is {}", response.status()));
            }
            if !discards {
                return response.bytes().await.map(|bytes| bytes.len()).map_err(|error| error.to_string());
            }
            let mut count = 0;
            while let Some(piece) = response.chunk().await.map_err(|error| error.to_string())? {
                count += piece.len();
            }
            Ok(count)
        }
    });
}
