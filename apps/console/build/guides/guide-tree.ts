import { marked, type Token, type Tokens } from 'marked'
import type { Attributes, GuideNode, Heading, Section } from '../../src/ui/guide/guide.ts'

/** The target in the console of a guide's link; undefined if there is none. */
export type LinkOf = (href: string) => Attributes | undefined

/** The ids that Markdown viewers give to headings: lower-case words joined by hyphens. */
export function slugs(texts: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return texts.map((text) => {
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-')
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  })
}

export const parse = (markdown: string): Token[] => marked.lexer(markdown)

export function headingsOf(tokens: readonly Token[]): Heading[] {
  const headings = tokens.filter((token): token is Tokens.Heading => token.type === 'heading')
  const texts = headings.map(({ tokens: inside }) => textOf(inside))
  const ids = slugs(texts)
  return headings.map(({ depth }, at) => ({ id: ids[at] ?? '', text: texts[at] ?? '', depth }))
}

/** The tree of a guide. `ids` are those of its headings, in order. */
export function treeOf(
  tokens: readonly Token[],
  ids: readonly string[],
  linkOf: LinkOf,
): GuideNode[] {
  const rest = [...ids]
  return tokens.flatMap((token) => nodesOf(token, linkOf, () => rest.shift() ?? ''))
}

function nodesOf(token: Token, linkOf: LinkOf, nextId: () => string): GuideNode[] {
  const inside = (tokens: readonly Token[] | undefined) =>
    (tokens ?? []).flatMap((each) => nodesOf(each, linkOf, nextId))
  const node = (
    tag: string,
    attributes: Attributes = {},
    tokens = childrenOf(token),
  ): GuideNode[] => [[tag, attributes, ...inside(tokens)]]
  switch (token.type) {
    case 'space':
    case 'def':
      return []
    case 'heading':
      return node(`h${token.depth}`, { id: nextId() })
    case 'paragraph':
      return node('p')
    case 'blockquote':
      return node('blockquote')
    case 'strong':
    case 'em':
      return node(token.type)
    case 'list':
      return list(token as Tokens.List, inside)
    case 'table':
      return table(token as Tokens.Table, inside)
    case 'code':
      return [['pre', { lang: /^\w*/.exec(token.lang ?? '')?.[0] ?? '' }, token.text]]
    case 'codespan':
      return [['code', {}, token.text]]
    case 'br':
      return [['br', {}]]
    case 'hr':
      return [['hr', {}]]
    case 'escape':
      return [token.text]
    case 'text':
      return token.tokens ? inside(token.tokens) : [token.text]
    case 'link': {
      const attributes = linkOf(token.href)
      return attributes ? node('a', attributes) : inside(token.tokens)
    }
    case 'html':
      if (/^<!--[^]*-->\s*$/.test(token.raw)) return []
  }
  throw new Error(`A guide has no ${token.type}: ${token.raw.slice(0, 80)}`)
}

const childrenOf = (token: Token): Token[] => ('tokens' in token && token.tokens) || []

type Inside = (tokens: readonly Token[] | undefined) => GuideNode[]

function list({ ordered, start, items }: Tokens.List, inside: Inside): GuideNode[] {
  const attributes: Attributes = ordered && start !== 1 && start !== '' ? { start } : {}
  const nodes = items.map((item): GuideNode => ['li', {}, ...inside(item.tokens)])
  return [[ordered ? 'ol' : 'ul', attributes, ...nodes]]
}

function table({ header, rows }: Tokens.Table, inside: Inside): GuideNode[] {
  const row = (cells: readonly Tokens.TableCell[], tag: string): GuideNode => [
    'tr',
    {},
    ...cells.map((cell): GuideNode => [cell.text === '' ? 'td' : tag, {}, ...inside(cell.tokens)]),
  ]
  const isHeaded = header.some((cell) => cell.text !== '')
  const body: GuideNode = ['tbody', {}, ...rows.map((cells) => row(cells, 'td'))]
  return [['table', {}, ...(isHeaded ? [['thead', {}, row(header, 'th')] as const] : []), body]]
}

/** The text of tokens, without their markup. */
export function textOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'list')
        return (token as Tokens.List).items.map((item) => textOf(item.tokens)).join('\n')
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table
        return [header, ...rows]
          .map((cells) => cells.map((cell) => textOf(cell.tokens)).join(' '))
          .join('\n')
      }
      if (token.type === 'html') return ''
      const children = childrenOf(token)
      return children.length > 0 ? textOf(children) : 'text' in token ? String(token.text) : ' '
    })
    .join('')
}

/** The text that searches look through. */
export function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const sections: Section[] = []
  let at = -1
  let texts: string[] = []
  const close = () => {
    const heading = headings[at]
    if (!heading) return
    const above = headings
      .slice(0, at)
      .filter(
        ({ depth }, place) =>
          depth < heading.depth &&
          !headings.slice(place + 1, at + 1).some((each) => each.depth <= depth),
      )
    sections.push({
      id: heading.id,
      titles: [...above, heading].map(({ text }) => text),
      text: texts.join('\n').replaceAll(/\s+/g, ' ').trim(),
    })
  }
  for (const token of tokens)
    if (token.type === 'heading') {
      close()
      at += 1
      texts = []
    } else texts.push(textOf([token]))
  close()
  return sections
}
