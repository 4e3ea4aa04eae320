import { getCatalogs } from '@lingui/cli/api'
import { getConfig } from '@lingui/conf'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { minify, type Plugin } from 'vite'
import { classOf } from '../class-names.ts'

const consoleFolder = join(import.meta.dirname, '../..')

/**
 * Writes `login.html`: the page with the sign-in form in it, which accepts typing before any script
 * has loaded. The server sends it for `/login`; where only `index.html` is served, the form comes
 * with the scripts.
 */
export const signInForm = (): Plugin => ({
  name: 'grove:sign-in-form',
  apply: 'build',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    async handler(_options, bundle) {
      const page = bundle['index.html']
      if (page?.type !== 'asset') throw new Error('There is no index.html.')
      const path = join(import.meta.dirname, 'early-form.js')
      const { code } = await minify('early-form.js', await readFile(path, 'utf8'))
      const form = `<div id="early-form">${markup(await readTexts())}<script>${code.trim()}</script></div>`
      const place = '<div id="root">'
      const html = String(page.source)
      if (!html.includes(place)) throw new Error(`index.html has no ${place}.`)
      const source = html.replace(place, () => `${form}\n    ${place}`)
      this.emitFile({ type: 'asset', fileName: 'login.html', source })
    },
  },
})

type Write = (text: string, part?: number) => string

/**
 * As `LoginPage` renders it; e2e/pages/sign-in-form.spec.ts checks that nothing moves when that takes
 * over.
 */
function markup(write: Write): string {
  const frame = (name: string) => classOf('ui/page/visitor-page.module.css', name)
  const field = (name: string, label: string, input: string, after = '') =>
    `<div class="field"><label for="early-${name}">${label}</label><div class="field-box">` +
    `<input ${input} id="early-${name}" class="input" name="${name}" spellcheck="false" autocapitalize="none">` +
    `${after && '<span class="field-button"></span>'}</div>${after}</div>`
  return [
    `<div class="${frame('page')}"><header class="${frame('header')}">`,
    // src/ui/page/logo.tsx
    `<a class="${frame('brand')}" href="/"><svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true" class="logo"><rect width="32" height="32" rx="7"></rect><path d="M16 5.5 9.5 15h3L8 21.5h6.5V27h3v-5.5H24L19.5 15h3z" fill="#fff"></path></svg> Grove</a>`,
    // Room for the preferences, which do nothing without scripts.
    `<div class="${frame('tools')}"><span class="select quiet"></span></div></header>`,
    `<main class="${frame('main')}"><div class="card form"><h1>${write('Sign in')}</h1>`,
    // By POST, so that a browser that submits it anyway puts no password into a URL.
    '<form class="form" method="post" action="/login" novalidate><output></output>',
    field(
      'email',
      write('Email'),
      'type="email" inputmode="email" autocomplete="username" autofocus',
    ),
    field(
      'password',
      write('Password'),
      'type="password" autocomplete="current-password"',
      '<div class="field-hint"></div>',
    ),
    `<div role="alert"></div><button class="button primary wide">${write('Sign in')}</button></form>`,
    `<p class="form-links muted"><span>${write('New here? <0>Create an account</0>', 0)}`,
    `<a href="/signup">${write('New here? <0>Create an account</0>', 1)}</a></span></p>`,
    '</div></main></div>',
  ].join('')
}

const sourceLocale = 'en-US'

/** Writes texts of the console in English, with the Russian ones for `early-form.js`. */
async function readTexts(): Promise<Write> {
  const catalogs = await getCatalogs(getConfig({ cwd: consoleFolder }))
  const russian = new Map<string, string>()
  for (const catalog of catalogs) {
    const messages = (await catalog.read(sourceLocale)) ?? {}
    const translated = (await catalog.read('ru-RU')) ?? {}
    for (const [id, { message }] of Object.entries(messages))
      russian.set(message ?? '', translated[id]?.translation ?? '')
  }
  const cut = (text: string, part?: number) =>
    part === undefined ? text : (text.split(/<\/?0>/)[part] ?? '')
  return (text, part) => {
    const translation = russian.get(text)
    if (!translation) throw new Error(`The console has no text "${text}" in Russian.`)
    return `<span data-ru="${cut(translation, part)}">${cut(text, part)}</span>`
  }
}
