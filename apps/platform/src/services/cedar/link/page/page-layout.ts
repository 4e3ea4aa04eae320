import { type LocaleCode, locales } from '@grove/contract/locale.rules'
import type { ProblemCode } from '@grove/contract/problem-codes'
import { html, type Html } from './html.ts'
import { styleElement } from './page-style.ts'
import { pageTexts } from './page-texts.ts'

interface Layout {
  locale: LocaleCode
  title: string
  /** The data for previews of the link. */
  head?: Html | null
  main: Html
  /** Whether the console is served at `/` beside this page. */
  hasConsole: boolean
}

export function layout({ locale, title, head = null, main, hasConsole }: Layout): string {
  const texts = pageTexts[locale]
  const languages = locales
    .filter((other) => other !== locale)
    .map(
      (other) =>
        html`<a href="?lang=${other}" hreflang="${other}" lang="${other}"
          >${pageTexts[other].language}</a
        >`,
    )
  const brand = hasConsole
    ? html`<a class="brand" href="/">Grove</a>`
    : html`<span class="brand">Grove</span>`
  const home = hasConsole ? html`<footer><a href="/">${texts.home}</a></footer>` : null
  return html`<!doctype html>
    <html lang="${locale}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${head} ${styleElement}
      </head>
      <body>
        <header class="bar">
          ${brand}
          <nav aria-label="${texts.language}">${languages}</nav>
        </header>
        ${main}${home}
      </body>
    </html>`.html
}

/** The page of an invalid link. */
export function noticePage(code: ProblemCode, locale: LocaleCode, hasConsole: boolean): string {
  const { notices, failed } = pageTexts[locale]
  const [title, text] = notices[code] ?? failed
  return layout({
    locale,
    title: `${title} – Grove`,
    head: html`<meta name="robots" content="noindex" />`,
    main: html`<main class="notice">
      <h1>${title}</h1>
      <p class="muted">${text}</p>
    </main>`,
    hasConsole,
  })
}
