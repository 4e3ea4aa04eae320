import { embeddedProvider } from '@grove/contract/dev/embedded-provider'
import { sampleIdentities } from './sample-identities.ts'

export type PageLanguage = 'en' | 'ru'

const texts = {
  en: {
    title: 'Choose a sample identity',
    lead: 'This test provider runs on this machine only. Choose an identity to sign in; no password is needed.',
    cancel: 'Cancel',
    failed: 'Sign-in cannot continue',
    expired: 'This sign-in has expired. Go back to the page where you started and sign in again.',
  },
  ru: {
    title: 'Выберите тестового пользователя',
    lead: 'Это тестовый провайдер, он работает только на этом компьютере. Выберите, от чьего имени войти; пароль не нужен.',
    cancel: 'Отмена',
    failed: 'Вход нельзя продолжить',
    expired:
      'Время этого входа истекло. Вернитесь на страницу, с которой начали, и войдите ещё раз.',
  },
} as const

/**
 * `ui_locales` of the request takes precedence over the browser's languages; the first known one is
 * used.
 */
export function pageLanguage(...preferences: (string | undefined)[]): PageLanguage {
  const wanted = preferences.flatMap((list) => list?.toLowerCase().match(/[a-z]{2,}[\w-]*/g) ?? [])
  const found = wanted.find((tag) => /^(en|ru)\b/.test(tag))
  return found?.startsWith('ru') ? 'ru' : 'en'
}

export function choicePage(language: PageLanguage, action: string): string {
  const text = texts[language]
  const identities = sampleIdentities.map(
    ({ sub, name, email }) =>
      `<button name="identity" value="${sub}"><strong>${name}</strong><small>${email}</small></button>`,
  )
  return page(
    language,
    text.title,
    `<p>${text.lead}</p>
<form method="post" action="${escaped(action)}">
${identities.join('\n')}
<button class="quiet" name="identity" value="">${text.cancel}</button>
</form>`,
  )
}

export function expiredPage(language: PageLanguage): string {
  return page(language, texts[language].failed, `<p>${texts[language].expired}</p>`)
}

/** A protocol error is a bug of the client, so it is shown unchanged. */
export function errorPage(language: PageLanguage, error: string, description = ''): string {
  const words = `${error}: ${description}`
  return page(language, texts[language].failed, `<p>${escaped(words)}</p>`)
}

/** No script, no inline style; forms may submit to the pages that a sign-in returns to. */
export function pagePolicy(formTargets: readonly string[]): string {
  // CSP source expressions cannot contain IPv6 addresses; a console at one has this origin.
  const named = formTargets.filter((target) => !target.includes('['))
  return [
    "default-src 'none'",
    "style-src 'self'",
    `form-action ${["'self'", ...named].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function page(language: PageLanguage, title: string, body: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<link rel="stylesheet" href="${embeddedProvider.path}/page.css">
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (c) => entities[c] ?? c)
