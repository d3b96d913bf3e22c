package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/transaction/key"
	sender "strata/faucet"
	"strata/proxy"
	"strata/readapi/faucet"
)

// faucetFlags configure the faucets of a test network.
type faucetFlags struct {
	FaucetPrivateKey []string `env:"STRATA_FAUCET_PRIVATE_KEY" placeholder:"HEX,..." help:"Private keys of a test network, whose STX the faucet gives away in turn (empty = no faucet). Needs --nodes. Pass them by the environment: others can read command lines."`
	FaucetURL        string   `name:"faucet-url" env:"STRATA_FAUCET_URL" placeholder:"URL" help:"Server to forward requests for coins to, instead (empty = none)."`
}

// faucetConfig returns where coins come from; nothing without the flags. Coins of mainnet are refused.
func (c *faucetFlags) faucetConfig(ctx context.Context, pool *pgxpool.Pool, nodes []proxy.Node, network string, chainID uint32, logger *slog.Logger) (config faucet.Config, err error) {
	switch {
	case c.FaucetURL == "" && len(c.FaucetPrivateKey) == 0:
		return config, nil
	case network == "mainnet":
		return config, errors.New("--faucet-private-key and --faucet-url are for test networks, and --network is mainnet")
	case c.FaucetURL != "":
		target, err := url.Parse(c.FaucetURL)
		if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
			return config, fmt.Errorf("--faucet-url: %q is not a URL such as https://api.testnet.example", c.FaucetURL)
		}
		config.Forward = &httputil.ReverseProxy{
			Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(target)
				r.SetXForwarded() // the other faucet may limit clients
			},
			// The API has set its own: browsers refuse an answer that allows their origin twice.
			ModifyResponse: func(r *http.Response) error {
				for name := range r.Header {
					if strings.HasPrefix(name, "Access-Control-") || name == "X-Api-Version" {
						r.Header.Del(name)
					}
				}
				return nil
			},
			ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
				logger.LogAttrs(r.Context(), slog.LevelWarn, "the faucet of --faucet-url does not answer", slog.Any("error", err))
				w.Header().Set("Content-Type", "application/json; charset=utf-8")
				w.WriteHeader(http.StatusServiceUnavailable)
				failure := `{"error":"Faucet is temporarily unavailable, please try again later","success":false}`
				if strings.Contains(r.URL.Path, "/extended/v3/") {
					failure = `{"error":"Faucet is temporarily unavailable, please try again later"}`
				}
				_, _ = w.Write([]byte(failure))
			},
		}
		return config, nil
	case len(nodes) == 0:
		return config, errors.New("--faucet-private-key: the faucet needs a node to send with (--nodes)")
	}
	keys := make([]key.Private, len(c.FaucetPrivateKey))
	for i, text := range c.FaucetPrivateKey {
		if keys[i], err = key.ParsePrivate(text); err != nil {
			return config, fmt.Errorf("--faucet-private-key: key %d: %w", i+1, err)
		}
	}
	f, err := sender.Open(ctx, sender.Config{Pool: pool, Node: nodes[0].URL, Keys: keys, ChainID: chainID, Logger: logger})
	if err != nil {
		return config, fmt.Errorf("open the faucet: %w", err)
	}
	config.STX = func(ctx context.Context, r faucet.Request) (*faucet.Sent, error) {
		sent, err := f.Send(ctx, sender.Request(r))
		switch {
		case err == nil:
			return (*faucet.Sent)(sent), nil
		case errors.Is(err, sender.ErrAddress):
			return nil, faucet.ErrAddress
		case errors.Is(err, sender.ErrTooMany):
			return nil, faucet.ErrTooMany
		case errors.Is(err, sender.ErrFunds):
			return nil, errors.Join(faucet.ErrFunds, err)
		case errors.Is(err, sender.ErrRefused):
			return nil, errors.Join(faucet.ErrRefused, err)
		}
		return nil, err
	}
	return config, nil
}
