import { notFound } from '@tanstack/react-router'
import { NetworkProblem } from '../../api/problem.ts'
import { guidesIn } from '../../ui/guide/guide.ts'
import { addMessages, currentLocale } from '../../ui/i18n/locale.ts'

/** The name of the list of guides. */
export const indexName = 'README'

/** A guide in the reader's language, or in English if it is not translated. */
export async function loadGuide(name: string) {
  const locale = currentLocale()
  const { titles, guides: loaders } = guidesIn(locale)
  const load = Object.hasOwn(loaders, name) ? loaders[name] : undefined
  if (!load) throw notFound()
  try {
    const [{ guide }] = await Promise.all([load(), addMessages('docs')])
    return { title: titles[name] ?? name, guide, locale }
  } catch (error) {
    throw new NetworkProblem(error)
  }
}

export type OpenGuide = Awaited<ReturnType<typeof loadGuide>>
