import { msg } from '@lingui/core/macro'
import { createFileRoute } from '@tanstack/react-router'
import { applets } from '../../../../../features/maple/card/applet/applet.api.ts'
import { AppletList } from '../../../../../features/maple/card/applet/applet.list.tsx'
import { appletList } from '../../../../../features/maple/card/applet/applet.search.ts'
import { prefetchList } from '../../../../../ui/table/prefetch-list.ts'

export const Route = createFileRoute('/_app/dashboard/maple/applets/')({
  staticData: { title: msg`Applets` },
  validateSearch: appletList.read,
  loaderDeps: ({ search }) => appletList.deps(search),
  loader: ({ context, deps }) => prefetchList(applets, context, deps),
  component: AppletList,
})
