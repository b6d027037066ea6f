// The routes of the interoperability suite with Go's net/http: server FOLDER PORT [CERTIFICATE KEY]
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func echo(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err == nil {
		response.Write(body)
	}
}

func stream(response http.ResponseWriter, request *http.Request) {
	for number := 0; number < 100; number++ {
		fmt.Fprintf(response, "piece %d%s\n", number, strings.Repeat(".", number))
		response.(http.Flusher).Flush()
	}
}

func main() {
	folder, port := os.Args[1], os.Args[2]
	http.Handle("/files/", http.FileServer(http.Dir(folder)))
	http.HandleFunc("/echo", echo)
	http.HandleFunc("/stream", stream)
	http.HandleFunc("/empty", func(response http.ResponseWriter, request *http.Request) {
		response.WriteHeader(http.StatusNoContent)
	})
	http.HandleFunc("/redirect", func(response http.ResponseWriter, request *http.Request) {
		http.Redirect(response, request, "/files/small.txt", http.StatusFound)
	})
	http.HandleFunc("/refuse", func(response http.ResponseWriter, request *http.Request) {
		http.Error(response, "too large", http.StatusRequestEntityTooLarge)
	})
	if len(os.Args) > 3 {
		log.Fatal(http.ListenAndServeTLS("127.0.0.1:"+port, os.Args[3], os.Args[4], nil))
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
