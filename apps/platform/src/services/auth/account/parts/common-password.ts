// ASVS 6.2.4 requires at least this many.
const ranked = 3000

const leet: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
}

/** Of the sample workspace, and therefore public. */
export const publishedPasswords: readonly string[] = ['Grove2026!']

let loading: Promise<ReadonlySet<string>> | undefined

/** Loaded with the first new password: most processes need it late or never. */
async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].slice(0, ranked))
}

/**
 * Whether it is one of the most common passwords, or one altered to meet the rules: no entry has a
 * capital, a digit and a special character, so people turn it into `Password1!`.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  loading ??= load()
  const common = await loading
  if (publishedPasswords.some((known) => known.toLowerCase() === password.toLowerCase()))
    return true
  return plainForms(password.toLowerCase()).some((form) => common.has(form))
}

/** The bare word, without leet spelling, special characters, prefix and suffix. */
function plainForms(lower: string): string[] {
  const forms = [
    lower.replaceAll(/[^a-z0-9]/g, ''),
    lower.replace(/[^a-z]+$/, ''),
    lower.replace(/^[^a-z]+/, '').replace(/[^a-z]+$/, ''),
  ]
  return forms.flatMap((form) => [form, unleet(form, 'i'), unleet(form, 'l')])
}

const unleet = (text: string, one: string): string =>
  text.replaceAll(/[^a-z]/g, (character) =>
    character === '1' ? one : (leet[character] ?? character),
  )
