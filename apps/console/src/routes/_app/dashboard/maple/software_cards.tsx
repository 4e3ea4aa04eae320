import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { cards } from '../../../../features/maple/card/software-card/software-card.api.ts'
import { CardList } from '../../../../features/maple/card/software-card/software-card.list.tsx'
import { cardList } from '../../../../features/maple/card/software-card/software-card.search.ts'
import { prefetchList } from '../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/software_cards')({
  staticData: { title: msg`Software cards` },
  validateSearch: cardList.read,
  loaderDeps: ({ search }) => cardList.deps(search),
  loader: ({ context, deps }) => prefetchList(cards, context, deps),
  component: CardList,
})
