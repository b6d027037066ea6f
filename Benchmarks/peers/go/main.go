// net/http of Go with the arguments of `floor` and `http-bench`: go-bench get|close|down|save|up URL N C.
//
// C goroutines send N requests in total. CA=file trusts only that file, VERIFY=0 verifies nothing. Each goroutine
// first sends 3 requests that are not counted. Prints the line that `floor` prints. COUNT_ALLOCATIONS=1 also prints what
// the runtime has allocated.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func fail(text string) {
	fmt.Fprintln(os.Stderr, "go-bench: "+text)
	os.Exit(1)
}

func usage() (use syscall.Rusage) {
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		fail(err.Error())
	}
	return
}

func seconds(time syscall.Timeval) float64 { return float64(time.Sec) + float64(time.Usec)/1e6 }

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: go-bench get|close|down|save|up URL N C")
		os.Exit(2)
	}
	mode, url := os.Args[1], os.Args[2]
	n, _ := strconv.Atoi(os.Args[3])
	c, _ := strconv.Atoi(os.Args[4])
	modes := map[string]bool{"get": true, "close": true, "down": true, "save": true, "up": true}
	if n < 1 || c < 1 || !modes[mode] {
		fail("the mode is get, close, down, save or up; N and C are at least 1")
	}
	security := &tls.Config{ClientSessionCache: tls.NewLRUClientSessionCache(0)}
	if os.Getenv("RESUME") == "0" {
		security.ClientSessionCache = nil
	}
	if file := os.Getenv("CA"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			fail(err.Error())
		}
		security.RootCAs = x509.NewCertPool()
		security.RootCAs.AppendCertsFromPEM(text)
	}
	security.InsecureSkipVerify = os.Getenv("VERIFY") == "0"
	client := &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: c, MaxConnsPerHost: c, DisableKeepAlives: mode == "close", DisableCompression: true,
		TLSClientConfig: security,
	}}

	// Returns the length of the body, which is collected, discarded or saved. PUT sends a file, and returns its length.
	send := func(method string) (int, error) {
		request, err := http.NewRequest(method, url, nil)
		if err != nil {
			return 0, err
		}
		if method == "PUT" {
			// The transport closes the file.
			file, err := os.Open(os.Getenv("UPLOAD"))
			if err != nil {
				return 0, err
			}
			status, err := file.Stat()
			if err != nil {
				return 0, err
			}
			request.Body, request.ContentLength = file, status.Size()
		}
		response, err := client.Do(request)
		if err != nil {
			return 0, err
		}
		defer response.Body.Close()
		if response.StatusCode != 200 {
			return 0, fmt.Errorf("the status is %d", response.StatusCode)
		}
		switch mode {
		case "down":
			count, err := io.Copy(io.Discard, response.Body)
			return int(count), err
		case "save":
			if method == "HEAD" {
				return 0, nil
			}
			file, err := os.Create(os.Getenv("SAVE"))
			if err != nil {
				return 0, err
			}
			count, err := io.Copy(file, response.Body)
			if closing := file.Close(); err == nil {
				err = closing
			}
			return int(count), err
		}
		body, err := io.ReadAll(response.Body)
		if method == "PUT" {
			return int(request.ContentLength), err
		}
		return len(body), err
	}

	var bytes, errors, remaining int64
	var all []float64
	var lock sync.Mutex
	run := func(work func() []float64) {
		var group sync.WaitGroup
		for i := 0; i < c; i++ {
			group.Add(1)
			go func() {
				defer group.Done()
				times := work()
				lock.Lock()
				all = append(all, times...)
				lock.Unlock()
			}()
		}
		group.Wait()
	}
	warmup, method := "GET", "GET"
	if mode == "down" || mode == "save" {
		warmup = "HEAD"
	}
	if mode == "up" {
		method = "PUT"
	}
	run(func() []float64 {
		for i := 0; i < 3; i++ {
			if _, err := send(warmup); err != nil {
				fail("the warm-up failed: " + err.Error())
			}
		}
		return nil
	})
	remaining = int64(n)
	before, start := usage(), time.Now()
	run(func() (times []float64) {
		for atomic.AddInt64(&remaining, -1) >= 0 {
			begun := time.Now()
			count, err := send(method)
			if err != nil {
				fmt.Fprintln(os.Stderr, "go-bench:", err)
				atomic.AddInt64(&errors, 1)
				continue
			}
			atomic.AddInt64(&bytes, int64(count))
			times = append(times, time.Since(begun).Seconds())
		}
		return
	})
	wall, after := time.Since(start).Seconds(), usage()
	sort.Float64s(all)
	p50, p99 := 0.0, 0.0
	if len(all) > 0 {
		p50, p99 = all[len(all)/2], all[len(all)*99/100]
	}
	user, sys := seconds(after.Utime)-seconds(before.Utime), seconds(after.Stime)-seconds(before.Stime)
	fmt.Printf("peer=go-%s n=%d c=%d wall_s=%.3f rps=%.0f p50_us=%.1f p99_us=%.1f user_us_per_req=%.2f "+
		"sys_us_per_req=%.2f cpu_s=%.3f maxrss_kib=%d bytes=%d errors=%d\n", mode, n, c, wall, float64(n)/wall,
		p50*1e6, p99*1e6, user*1e6/float64(n), sys*1e6/float64(n), user+sys, after.Maxrss, bytes, errors)
	if os.Getenv("COUNT_ALLOCATIONS") == "1" {
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		fmt.Printf("mallocs=%d frees=%d bytes=%d\n", memory.Mallocs, memory.Frees, memory.TotalAlloc)
	}
	if errors > 0 {
		os.Exit(1)
	}
}
