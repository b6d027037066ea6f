// The routes of the interoperability suite with Node: server.mjs FOLDER PORT [CERTIFICATE KEY]
import { createReadStream, readFileSync, statSync } from "node:fs";
import http from "node:http";
import https from "node:https";

const [folder, port, certificate, key] = process.argv.slice(2);

async function answer(request, response) {
    if (request.url === "/echo" && request.method === "POST") {
        const pieces = [];
        for await (const piece of request) pieces.push(piece);
        response.end(Buffer.concat(pieces));
    } else if (request.url === "/stream") {
        for (let number = 0; number < 100; number++) response.write(`piece ${number}${".".repeat(number)}\n`);
        response.end();
    } else if (request.url === "/empty") {
        response.writeHead(204).end();
    } else if (request.url === "/redirect") {
        response.writeHead(302, { location: "/files/small.txt" }).end();
    } else if (request.url === "/refuse") {
        response.writeHead(413, { connection: "close" }).end("too large\n");
    } else if (/^\/files\/[a-z]+\.[a-z]+$/.test(request.url)) {
        const path = folder + request.url;
        response.setHeader("content-length", statSync(path).size);
        if (request.method === "HEAD") response.end();
        else createReadStream(path).pipe(response);
    } else {
        response.writeHead(404).end("not found\n");
    }
}

function failed(response, error) {
    if (error.code === "ENOENT") response.writeHead(404).end("not found\n");
    else response.destroy(error);
}

const handler = (request, response) => answer(request, response).catch((error) => failed(response, error));
const server = certificate
    ? https.createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, handler)
    : http.createServer(handler);
// Node would send 100 (Continue) for every request; a request that is rejected must not get one.
server.on("checkContinue", (request, response) => {
    if (request.url !== "/refuse") response.writeContinue();
    handler(request, response);
});
server.listen(Number(port), "127.0.0.1");
