package picture_test

import (
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"testing"

	"strata/metadata/picture"
)

const pixelReference = "data:image/png;base64,iVBORw0KGgo="

func nestedSVG(inner string) string {
	return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svgOf(inner))
}

var documentTypes = []string{
	`<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">`,
	"<!DOCTYPE svg\r\n  PUBLIC '-//W3C//DTD SVG 1.1 Tiny//EN'\r\n  'https://www.w3.org/Graphics/SVG/1.1/DTD/svg11-tiny.dtd'\r\n>",
}

func TestSVGPasses(t *testing.T) {
	for name, body := range map[string]string{
		"declaration":       `<?xml version="1.0" encoding="UTF-8" standalone="no"?>` + "\n" + string(svgOf(``)),
		"byte order mark":   "\ufeff" + string(svgOf(``)),
		"mark, declaration": "\ufeff<?xml version='1.0'?>" + string(svgOf(``)),
		"leading space":     "\n\t " + string(svgOf(``)),
		"comments":          `<!-- made by hand: <script> -->` + string(svgOf(`<!-- x -->`)) + `<!-- end -->` + "\n",
		"prefix":            `<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:path d="M0 0"/></s:svg>`,
		"gradient":          string(svgOf(`<defs><linearGradient id="a"/></defs><rect fill="url(#a)" filter="url( '#b' )" style="stroke:url(&quot;#a&quot;)"/>`)),
		"use":               string(svgOf(`<use href="#a"/><use xlink:href="#b"/><a href="#c"><text>Once upon a time: url(http://x)</text></a>`)),
		"style":             string(svgOf(`<style><![CDATA[ .a > .b { fill: url(#a); scroll-behavior: smooth } /* \2014 */ ]]></style>`)),
		"picture":           string(svgOf(`<image href="` + pixelReference + `"/><image xlink:href=" data:image/JPEG;base64,AAAA"/>`)),
		"picture in style":  string(svgOf(`<rect style="background:url(` + pixelReference + `)"/>`)),
		"nested":            string(svgOf(`<image href="` + nestedSVG(`<image href="`+nestedSVG(`<g/>`)+`"/>`) + `"/>`)),
		"nested in percent": string(svgOf(`<image href="data:image/svg+xml;utf8,` + url.PathEscape(string(svgOf(`<g fill="red"/>`))) + `"/>`)),
		"animation":         string(svgOf(`<rect><animate attributeName="x" from="0" to="10" dur="1s"/></rect>`)),
		"link":              string(svgOf(`<a href="https://example.org/a?b#c" target="_blank"><text>x</text></a><a xlink:href=" HTTP://127.0.0.1/"/>`)),
		"font":              string(svgOf(`<style>@font-face{font-family:a;src:local(b),url(data:font/woff2;charset=utf-8;base64,d09GMg==) format("woff2")}</style>`)),
		"font by old type":  string(svgOf(`<style>@font-face{src:url('data:application/x-font-ttf;base64,AAEAAA==')}</style>`)),
		"document type":     documentTypes[0] + string(svgOf(``)),
		"only its name":     `<!DOCTYPE svg>` + string(svgOf(``)),
		"its own DTD":       `<!DOCTYPE svg SYSTEM 'http://www.w3.org/TR/2000/03/WD-SVG-20000303/DTD/svg-20000303-stylable.dtd'>` + string(svgOf(``)),
		"type after all": "\ufeff<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<!-- Generator: Adobe Illustrator 27.0 -->\r\n" + documentTypes[1] + "\r\n" +
			string(svgOf(`<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><metadata/><?xpacket end="w"?>`)),
		"type in nested": string(svgOf(`<image href="data:image/svg+xml,` + url.PathEscape(documentTypes[0]+string(svgOf(``))) + `"/>`)),
		"editor":         string(svgOf(`<metadata xmlns:i="urn:i" i:file="C:\image(1).png"/><g id="image(1)" data-name="src(2)" class="x"/>`)),
	} {
		t.Run(name, func(t *testing.T) {
			if facts, err := picture.Inspect([]byte(body)); err != nil || facts.ContentType != "image/svg+xml" {
				t.Errorf("got %+v, %v", facts, err)
			}
		})
	}
}

func TestSVGRefused(t *testing.T) {
	for name, test := range map[string]struct{ inner, why string }{
		"script":                   {`<script>alert(1)</script>`, "<script>"},
		"script empty":             {`<g><script href="#x"/></g>`, "<script>"},
		"script upper case":        {`<SCRIPT/>`, "<SCRIPT>"},
		"script by prefix":         {`<h:script xmlns:h="http://www.w3.org/1999/xhtml"/>`, "<script>"},
		"script by unknown prefix": {`<x:script/>`, "<script>"},
		"script in no namespace":   {`<script xmlns=""/>`, "<script>"},
		"script in comment's end":  {`<!-- --><script/><!-- -->`, "<script>"},
		"HTML":                     {`<p xmlns="http://www.w3.org/1999/xhtml">x</p>`, "HTML"},
		"foreignObject":            {`<foreignObject/>`, "<foreignObject>"},
		"foreignobject":            {`<foreignobject/>`, "<foreignobject>"},
		"iframe":                   {`<iframe/>`, "<iframe>"},
		"embed":                    {`<embed/>`, "<embed>"},
		"object":                   {`<object/>`, "<object>"},
		"audio":                    {`<audio/>`, "<audio>"},
		"link element":             {`<link/>`, "<link>"},
		"handler element":          {`<handler type="text/ecmascript"/>`, "<handler>"},

		"onload":            {`<g onload="x()"/>`, "events"},
		"onClick":           {`<g onClick=""/>`, "events"},
		"any on":            {`<g onewdevice="1"/>`, "events"},
		"on by prefix":      {`<g x:onload="1"/>`, "events"},
		"animated onload":   {`<set attributeName="onload" to="x()"/>`, "animates"},
		"animated href":     {`<a><animate attributeName=" xlink:HREF" values="#a"/></a>`, "animates"},
		"animated to":       {`<animate attributeName="x" to="javascript:x()"/>`, "javascript:"},
		"animated fill":     {`<set attributeName="fill" to="url(//h/#a)"/>`, "refers"},
		"link of a script":  {`<a href="javascript:alert(1)"/>`, "javascript:"},
		"mixed case":        {`<a href="JavaScript:alert(1)"/>`, "javascript:"},
		"split by entities": {`<a href="java&#9;scr&#xA;ipt&#58;alert(1)"/>`, "javascript:"},
		"leading control":   {`<a href=" &#13; javascript:alert(1)"/>`, "javascript:"},
		"vbscript":          {`<a xlink:href="vbscript:x"/>`, "vbscript:"},
		"data HTML":         {`<a href="data:text/html,x"/>`, "data:text/html"},
		"data in any":       {`<g fill="data:text/HTML;base64,x"/>`, "data:text/html"},

		"link to this server":  {`<a href="/extended/v1/tx"/>`, "refers"},
		"link without scheme":  {`<a xlink:href="//127.0.0.1/"/>`, "refers"},
		"link without host":    {`<a href="https:///images"/>`, "refers"},
		"link to a file":       {`<a href="file:///etc/passwd"/>`, "refers"},
		"link to data":         {`<a href="data:image/png,x"/>`, "refers"},
		"link that is told":    {`<a href="#x" ping="https://127.0.0.1/"/>`, "refers"},
		"link elsewhere":       {`<b:a xmlns:b="urn:b" href="https://127.0.0.1/"/>`, "refers"},
		"link of a gradient":   {`<linearGradient href="https://127.0.0.1/#a"/>`, "refers"},
		"relative link":        {`<use href="other.svg#a"/>`, "refers"},
		"image elsewhere":      {`<image href="https://127.0.0.1/a.png"/>`, "refers"},
		"image by old prefix":  {`<image y:href="https://127.0.0.1/a.png"/>`, "refers"},
		"feImage":              {`<feImage xlink:href="http://127.0.0.1/"/>`, "refers"},
		"src":                  {`<image src="http://127.0.0.1/"/>`, "refers"},
		"data to go to":        {`<a href="` + pixelReference + `"/>`, "refers"},
		"data to use":          {`<use href="data:image/svg+xml,x#a"/>`, "refers"},
		"data of text":         {`<image href="data:text/plain,x"/>`, "refers"},
		"data of unknown":      {`<image href="data:image/x-script,x"/>`, "kind"},
		"font as image":        {`<image href="data:font/woff2,x"/>`, "kind"},
		"font elsewhere":       {`<style>@font-face{src:url(https://127.0.0.1/a.woff2)}</style>`, "refers"},
		"data without":         {`<image href="data:image/png"/>`, "without data"},
		"xml:base":             {`<g xml:base="http://127.0.0.1/"/>`, "relative"},
		"fill":                 {`<g fill="url(http://127.0.0.1/#a)"/>`, "refers"},
		"quoted":               {`<g filter="url( 'a.svg#b')"/>`, "refers"},
		"second of two":        {`<g style="fill:url(#a);stroke:url(x#a)"/>`, "refers"},
		"upper case":           {`<g style="fill:URL(x)"/>`, "refers"},
		"escaped":              {`<g style="fill:u\72 l(x)"/>`, "refers"},
		"escaped fully":        {`<g style="fill:\000075\0072\6c(x)"/>`, "refers"},
		"escaped letter":       {`<g style="fill:u\rl(x)"/>`, "refers"},
		"escaped line":         {"<style>g{fill:ur\\\nl(x)}</style>", "refers"},
		"escaped quote":        {`<g style="fill:url('#\'),url(x)')"/>`, "refers"},
		"sheet":                {`<style>g{fill:url(http://127.0.0.1/)}</style>`, "refers"},
		"sheet in data":        {`<style><![CDATA[g{fill:url(x)}]]></style>`, "refers"},
		"sheet split":          {`<style>g{fill:ur<!-- -->l(x)}</style>`, "refers"},
		"sheet by prefix":      {`<s:style xmlns:s="http://www.w3.org/2000/svg">@import "x";</s:style>`, "@import"},
		"element in sheet":     {`<style><g/></style>`, "in a <style>"},
		"import":               {`<style>@import "http://127.0.0.1/";</style>`, "@import"},
		"import upper case":    {`<style>@IMPORT 'x';</style>`, "@import"},
		"import escaped":       {`<style>@\69mport 'x';</style>`, "@import"},
		"style of no font":     {`<style>@font-face{src:url(data:text/css,x)}</style>`, "kind"},
		"image-set":            {`<g style="background:-webkit-image-set('x' 1x)"/>`, "image-set("},
		"image-set as a value": {`<g mask="image-set('x' 1x)"/>`, "image-set("},
		"binding":              {`<g style="-moz-binding:none"/>`, "-moz-binding"},

		"nested script":      {`<image href="` + nestedSVG(`<script/>`) + `"/>`, "<script>"},
		"nested twice":       {`<image href="` + nestedSVG(`<image href="`+nestedSVG(`<g onload=""/>`)+`"/>`) + `"/>`, "events"},
		"nested in percent":  {`<image href="data:image/svg+xml,` + url.PathEscape(string(svgOf(`<script/>`))) + `"/>`, "<script>"},
		"nested in a style":  {`<g style="background:url('` + nestedSVG(`<script/>`) + `')"/>`, "<script>"},
		"nested broken":      {`<image href="data:image/svg+xml,%zz"/>`, "%zz"},
		"nested no base64":   {`<image href="data:image/svg+xml;base64,!"/>`, "base64"},
		"nested charset":     {`<image href="data:image/svg+xml;charset=utf-16le;base64,AAAA"/>`, "parameter"},
		"nested line breaks": {`<image href="data:image/svg+xml,&lt;scr&#10;ipt/&gt;"/>`, "line break"},
		"nested too deep": {
			`<image href="` + nestedSVG(`<image href="`+nestedSVG(`<image href="`+nestedSVG(`<image href="`+nestedSVG(``)+`"/>`)+`"/>`)+`"/>`) + `"/>`, "nest deeper",
		},

		"instruction":      {`<?php x ?>`, "processing instruction"},
		"late declaration": {`<?xml version="1.0"?>`, "processing instruction"},
		"unknown entity":   {`<text>&nbsp;</text>`, "well-formed"},
		"not closed":       {`<g>`, "well-formed"},
		"bare attribute":   {`<g hidden/>`, "well-formed"},
		"no character":     {"<text>\x01</text>", "well-formed"},
		"no UTF-8":         {"<text>\xff</text>", "well-formed"},
		"too deep":         {strings.Repeat("<g>", 256) + strings.Repeat("</g>", 256), "nest deeper"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, string(svgOf(test.inner)), test.why) })
	}
}

func TestSVGDocumentRefused(t *testing.T) {
	plain := string(svgOf(""))
	for name, test := range map[string]struct{ body, why string }{
		"document type":     {`<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://127.0.0.1/svg11.dtd">` + plain, "DOCTYPE"},
		"another root's":    {`<!DOCTYPE html>` + plain, "DOCTYPE"},
		"another language":  {`<!DOCTYPE svg PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">` + plain, "DOCTYPE"},
		"host in disguise":  {`<!DOCTYPE svg SYSTEM "http://www.w3.org@127.0.0.1/svg11.dtd">` + plain, "DOCTYPE"},
		"empty subset":      {`<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" []>` + plain, "DOCTYPE"},
		"comment in it":     {`<!DOCTYPE svg <!-- x -->>` + plain, "DOCTYPE"},
		"two types":         {`<!DOCTYPE svg><!DOCTYPE svg>` + plain, "DOCTYPE"},
		"type in it":        {string(svgOf(`<!DOCTYPE svg>`)), "DOCTYPE"},
		"type after it":     {plain + `<!DOCTYPE svg>`, "DOCTYPE"},
		"declaration":       {`<!ELEMENT svg ANY>` + plain, "DOCTYPE"},
		"entities":          {`<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>` + plain, "DOCTYPE"},
		"external entity":   {`<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>` + string(svgOf("&x;")), "DOCTYPE"},
		"style sheet":       {`<?xml-stylesheet href="http://127.0.0.1/"?>` + plain, "processing instruction"},
		"second after it":   {plain + `<?xml-stylesheet href="x"?>`, "processing instruction"},
		"space before it":   {` <?xml version="1.0"?>` + plain, "processing instruction"},
		"UTF-7":             {`<?xml version="1.0" encoding="UTF-7"?>` + plain, "UTF-7"},
		"two encodings":     {`<?xml version="1.0" xencoding="utf-8" encoding="utf-7"?>` + plain, "UTF-8"},
		"version 1.1":       {`<?xml version="1.1"?>` + plain, "1.1"},
		"two roots":         {plain + plain, "second root"},
		"text behind":       {plain + "x", "text outside"},
		"no namespace":      {`<svg/>`, "root"},
		"another namespace": {`<svg xmlns="http://www.w3.org/1999/xhtml"/>`, "root"},
		"another root":      {`<g xmlns="http://www.w3.org/2000/svg"/>`, "root"},
		"handler at root":   {`<svg xmlns="http://www.w3.org/2000/svg" onload="x()"/>`, "events"},
		"only a comment":    {`<!-- x -->`, "cut off"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, test.body, test.why) })
	}
}

func refused(t *testing.T, body, why string) {
	t.Helper()
	if _, err := picture.Inspect([]byte(body)); !errors.Is(err, picture.ErrRefused) || !strings.Contains(err.Error(), why) {
		t.Errorf("got %v; want a refusal that says %q", err, why)
	}
}

func TestSVGSize(t *testing.T) {
	for _, test := range []struct {
		attributes    string
		width, height int
	}{
		{`width="20" height="10"`, 20, 10},
		{`width="20px" height=" 10.6PX "`, 20, 11},
		{`width="1in" height="2.54cm"`, 96, 96},
		{`width="72pt" height="25.4mm"`, 96, 96},
		{`width="6pc" height="101.6q"`, 96, 96},
		{`width="100%" height="10"`, 0, 0},
		{`width="20"`, 0, 0},
		{`viewBox="0 0 20 10"`, 0, 0},
		{`width="-1" height="10"`, 0, 0},
		{`width="NaN" height="Inf"`, 0, 0},
		{`width="1000001" height="1"`, 0, 0},
		{`width="` + strings.Repeat("9", 400) + `" height="1"`, 0, 0},
		{`x:width="5" x:height="5"`, 0, 0},
	} {
		facts, err := picture.Inspect([]byte(`<svg xmlns="http://www.w3.org/2000/svg" ` + test.attributes + `/>`))
		if err != nil || facts.Width != test.width || facts.Height != test.height {
			t.Errorf("%.60s: got %d×%d, %v; want %d×%d", test.attributes, facts.Width, facts.Height, err, test.width, test.height)
		}
	}
}
