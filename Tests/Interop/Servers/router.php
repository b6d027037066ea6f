<?php
// The routes of the interoperability suite for PHP's own server.
switch (parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH)) {
    case '/echo':
        header('Content-Type: application/octet-stream');
        echo file_get_contents('php://input');
        break;
    case '/stream':
        for ($number = 0; $number < 100; $number++) {
            echo "piece $number" . str_repeat(".", $number) . "\n";
            flush();
        }
        break;
    case '/empty':
        http_response_code(204);
        break;
    case '/redirect':
        header('Location: /files/small.txt', true, 302);
        break;
    case '/refuse':
        http_response_code(413);
        echo "too large\n";
        break;
    default:
        // A file.
        return false;
}
