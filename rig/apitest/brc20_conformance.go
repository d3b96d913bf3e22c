package apitest

const (
	AdB = "3QNjwPDRafjBm9XxJpshgk3ksMJh3TFxTU"
	AdX = "bc1ph8dp3lqhzpjphqcc3ucgsm7k3w4d74uwfpv8sv893kn3kpkqrdxqqy3cv6"
	AdQ = "bc1qp9jgp9qtlhgvwjnxclj6kav6nr2fq09c206pyl"
)
