import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { KitPage } from '../../../features/dev/kit/kit-page.tsx'
import { applyKitSearch, kitSearch } from '../../../features/dev/kit/kit-search.ts'
import { addMessages } from '../../../ui/i18n/locale.ts'

/** Every component in every state. The server hides this page in public deployments. */
export const Route = createFileRoute('/_app/dev/kit')({
  validateSearch: kitSearch,
  beforeLoad: async ({ search }) => {
    await addMessages('dev')
    await applyKitSearch(search)
  },
  staticData: { title: msg`Kit` },
  component: KitPage,
})
