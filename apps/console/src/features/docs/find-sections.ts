import type { GuideSection } from '../../ui/guide/guide.ts'

export interface FoundSection extends GuideSection {
  /** The text around the first match; every second part is a match. */
  excerpt: readonly string[]
}

const most = 20
const before = 50
const after = 150

/** Matches the beginnings of words, case-insensitively; in Russian, е also matches ё. */
function patternOf(word: string) {
  const escaped = word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
  return `(?<![\\p{L}\\p{N}])${escaped.replaceAll(/[её]/giu, '[её]')}`
}

/** The sections with all the words of a query; those with a match in the title come first. */
export function findSections(sections: readonly GuideSection[], query: string): FoundSection[] {
  const words = query.split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return []
  const patterns = words.map((word) => new RegExp(patternOf(word), 'iu'))
  const scoreOf = ({ titles, text }: GuideSection) => {
    const own = titles.at(-1) ?? ''
    const above = titles.slice(0, -1).join(' ')
    const scores = patterns.map((pattern): number =>
      pattern.test(own) ? 4 : pattern.test(above) ? 2 : pattern.test(text) ? 1 : 0,
    )
    return scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score, 0)
  }
  const any = new RegExp(`(${words.map(patternOf).join('|')})`, 'iu')
  return sections
    .map((section) => ({ section, score: scoreOf(section) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ section }) => ({ ...section, excerpt: excerptOf(section.text, any) }))
}

function excerptOf(text: string, any: RegExp): string[] {
  const at = Math.max(text.search(any), 0)
  const from = at <= before ? 0 : text.indexOf(' ', at - before) + 1
  const end = text.indexOf(' ', at + after)
  const to = end < 0 ? text.length : end
  const cut = `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`
  return cut.split(new RegExp(any.source, 'giu'))
}
