//! reqwest with OpenSSL.
fn main() {
    let arguments = peers::arguments();
    let closes = arguments.mode == "close";
    let discards = arguments.mode == "down";
    let mut builder = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(if closes { 0 } else { arguments.c });
    if let Ok(file) = std::env::var("CA") {
        let text = std::fs::read(&file).unwrap_or_else(|error| peers::fail(&error.to_string()));
        let authority = reqwest::Certificate::from_pem(&text).unwrap_or_else(|error| peers::fail(&error.to_string()));
        builder = builder.tls_built_in_root_certs(false).add_root_certificate(authority);
    }
    if std::env::var("VERIFY").as_deref() == Ok("0") {
        builder = builder.danger_accept_invalid_certs(true);
    }
    let client = builder.build().unwrap_or_else(|error| peers::fail(&error.to_string()));
    let url: reqwest::Url = arguments.url.parse().unwrap_or_else(|_| peers::fail("the URL is invalid"));
    peers::run("reqwest", &arguments, move |is_warm_up| {
        let mut request = if discards && is_warm_up { client.head(url.clone()) } else { client.get(url.clone()) };
        if closes {
            request = request.header("Connection", "close");
        }
        async move {
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
