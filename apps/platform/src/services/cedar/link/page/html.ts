/** A text that is already HTML. */
export interface Html {
  html: string
}

type Value = string | number | Html | readonly Html[] | null

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

// Bidirectional controls, which affect text beyond the end of an element.
const directionMarks = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

const escape = (text: string) =>
  text.replaceAll(directionMarks, '').replaceAll(/[&<>"']/g, (sign) => escapes[sign] ?? '')

const part = (value: Value): string => {
  if (value === null) return ''
  if (typeof value === 'string') return escape(value)
  if (typeof value === 'number') return String(value)
  return 'html' in value ? value.html : value.map((each) => each.html).join('')
}

// A space, because line breaks of the source also separate attributes.
const lineBreak = /\n\s*/g

/** HTML with every value escaped, both in text and in quoted attributes. */
export const html = (strings: TemplateStringsArray, ...values: Value[]): Html => ({
  html: strings.reduce(
    (all, text, index) =>
      all + (index > 0 ? part(values[index - 1] ?? null) : '') + text.replaceAll(lineBreak, ' '),
    '',
  ),
})
