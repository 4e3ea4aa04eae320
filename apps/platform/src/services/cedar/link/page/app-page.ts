import type { LinkedApp } from '@grove/contract/cedar/link'
import { type LocaleCode, locales } from '@grove/contract/locale.rules'
import { html, type Html } from './html.ts'
import { layout } from './page-layout.ts'
import { pageTexts } from './page-texts.ts'
import { qrPath } from './qr-code.ts'

export interface AppPage {
  app: LinkedApp
  locale: LocaleCode
  /** Null if the platform's origin is not configured. */
  origin: string | null
  /** Changes with the preview image. */
  imageVersion: string
  /** Opens the app in a host app. */
  appLink: string | undefined
  /** Where the host app is installed from. */
  appInstall: string | undefined
  hasConsole: boolean
}

/** The public page of a link; complete without scripts. */
export function appPage(page: AppPage): string {
  const { app, locale, origin, hasConsole } = page
  const texts = pageTexts[locale]
  const text = inLocale(app.translations, locale)
  const provider = app.provider && inLocale(app.provider.translations, locale)?.name
  const title = text?.title ?? app.linkId
  const url = origin && `${origin}/${app.linkId}`
  return layout({
    locale,
    title: `${title} – Grove`,
    head: previews(page, { title, description: text?.shortDescription ?? '' }),
    hasConsole,
    main: html`<main>
      <div class="top">
        <div>
          <div class="head">
            ${icon(app.iconUrl, title)}
            <div>
              <h1><bdi>${title}</bdi></h1>
              <p class="muted"><bdi>${provider ?? texts.independent}</bdi></p>
            </div>
          </div>
          ${paragraph('lead', text?.shortDescription)}
          <dl class="facts">
            <div>
              <dt>${texts.version}</dt>
              <dd>${app.version}</dd>
            </div>
            <div>
              <dt>${texts.size}</dt>
              <dd>${sizeText(app.package.bytes, locale)}</dd>
            </div>
            <div>
              <dt>${texts.released}</dt>
              <dd><time datetime="${app.releasedAt}">${dateText(app.releasedAt, locale)}</time></dd>
            </div>
          </dl>
          ${app.isPinned ? html`<p class="muted">${texts.pinned}</p>` : null}${actions(page, url)}
        </div>
        ${qr(url, texts)}
      </div>
      ${screenshots(app, locale)}${section(texts.whatsNew, text?.whatsNew)}${section(texts.about, text?.description)}
    </main>`,
  })
}

/** The text in the reader's language, otherwise in English, otherwise the first. */
export const inLocale = <T extends { localeCode: LocaleCode }>(
  texts: readonly T[],
  locale: LocaleCode,
): T | undefined =>
  [locale, ...locales]
    .map((each) => texts.find(({ localeCode }) => localeCode === each))
    .find((found) => found !== undefined)

const letters = new Intl.Segmenter()

/** Placeholder for a missing icon. */
export const firstLetter = (title: string) =>
  letters.segment(title)[Symbol.iterator]().next().value?.segment.toUpperCase() ?? ''

const paragraph = (className: string, text: string | undefined) =>
  text ? html`<p class="${className}">${text}</p>` : null

const section = (title: string, text: string | undefined) =>
  text
    ? html`<section>
        <h2>${title}</h2>
        <p class="long">${text}</p>
      </section>`
    : null

const icon = (url: string | null, title: string): Html =>
  url === null
    ? html`<span class="icon letter" aria-hidden="true">${firstLetter(title)}</span>`
    : html`<img class="icon" src="${url}" alt="" width="96" height="96" />`

function actions(page: AppPage, url: string | null): Html {
  const { app, appLink, appInstall, hasConsole, locale } = page
  const texts = pageTexts[locale]
  const { linkId, productId, version, target } = app
  const values: Record<string, string> = { linkId, productId, version, target, url: url ?? linkId }
  const address = appLink?.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  )
  return html`${address === undefined ? html`<p class="muted">${texts.openHere}</p>` : null}
    <div class="actions">
      ${address === undefined ? null : html`<a class="button" href="${address}">${texts.open}</a>`}${hasConsole ? html`<a href="/?app=${productId}">${texts.inCatalogue}</a>` : null}
    </div>
    <p class="muted way-on">
      ${address === undefined ? texts.noApp : texts.nothingOpens}
      ${appInstall === undefined ? texts.askForApp : html`<a href="${appInstall}" rel="noopener noreferrer">${texts.install}</a>`}
    </p>`
}

function qr(url: string | null, texts: { qr: string; scan: string }): Html | null {
  if (url === null) return null
  const { path, size } = qrPath(url)
  return html`<figure class="qr">
    <svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${texts.qr}">
      <path d="${path}" fill="#000" />
    </svg>
    <figcaption>${texts.scan}</figcaption>
  </figure>`
}

function screenshots({ images }: LinkedApp, locale: LocaleCode): Html | null {
  const texts = pageTexts[locale]
  const own = images.filter(({ localeCode }) => localeCode === locale)
  const shown = own.length > 0 ? own : images
  if (shown.length === 0) return null
  const items = shown.map(
    ({ url, width, height }, index) =>
      html`<li>
        <img
          src="${url}"
          width="${width}"
          height="${height}"
          loading="lazy"
          alt="${texts.screenshot} ${index + 1}"
        />
      </li>`,
  )
  return html`<section>
    <h2>${texts.screenshots}</h2>
    <ul class="shots" tabindex="0" aria-label="${texts.screenshots}">
      ${items}
    </ul>
  </section>`
}

interface Preview {
  title: string
  description: string
}

/** Open Graph and Twitter's additions; omitted without a known origin. */
function previews(page: AppPage, { title, description }: Preview): Html {
  const { app, locale, origin, imageVersion } = page
  const about = html`<meta name="description" content="${description || title}" />`
  if (origin === null) return about
  const url = `${origin}/${app.linkId}`
  const image = `${url}/preview.png?lang=${locale}&v=${imageVersion}`
  const alternates = locales.map(
    (each) => html`<link rel="alternate" hreflang="${each}" href="${url}?lang=${each}" />`,
  )
  const others = locales
    .filter((each) => each !== locale)
    .map(
      (each) => html`<meta property="og:locale:alternate" content="${each.replace('-', '_')}" />`,
    )
  return html`${about}<link rel="canonical" href="${url}" />${alternates}<meta
      property="og:type"
      content="website"
    /><meta property="og:site_name" content="Grove" /><meta
      property="og:url"
      content="${url}"
    /><meta property="og:title" content="${title}" /><meta
      property="og:description"
      content="${description}"
    /><meta property="og:locale" content="${locale.replace('-', '_')}" />${others}<meta
      property="og:image"
      content="${image}"
    /><meta property="og:image:type" content="image/png" /><meta
      property="og:image:width"
      content="1200"
    /><meta property="og:image:height" content="630" /><meta
      property="og:image:alt"
      content="${title}"
    /><meta name="twitter:card" content="summary_large_image" />`
}

const dateText = (at: string, locale: LocaleCode) =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(at))

function sizeText(bytes: number, locale: LocaleCode): string {
  const [unit, value] =
    bytes < 1_000_000
      ? (['kilobyte', Math.max(1, Math.round(bytes / 1000))] as const)
      : (['megabyte', bytes / 1_000_000] as const)
  return new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: 1 }).format(
    value,
  )
}
