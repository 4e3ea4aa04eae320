import { Trans } from '@lingui/react/macro'
import { createFileRoute } from '@tanstack/react-router'
import { scriptQuery } from '../../../../../features/maple/program/script/script.api.ts'
import { ScriptPage } from '../../../../../features/maple/program/script/script.page.tsx'
import { loadItem } from '../../../../../ui/page/load-item.ts'
import { Missing } from '../../../../../ui/page/missing.tsx'

export const Route = createFileRoute('/_app/dashboard/maple/scripts/$id')({
  validateSearch: ({ run }: Record<string, unknown>): { run?: string } =>
    typeof run === 'string' ? { run } : {},
  loader: ({ context, params: { id } }) => loadItem(context, scriptQuery(id), ({ name }) => name),
  notFoundComponent: () => (
    <Missing
      title={<Trans>There is no such script</Trans>}
      text={<Trans>It was deleted, or it belongs to another provider.</Trans>}
      list="/dashboard/maple/scripts"
      link={<Trans>Go to the scripts</Trans>}
    />
  ),
  component: ScriptRoute,
})

function ScriptRoute() {
  const { id } = Route.useParams()
  const { run } = Route.useSearch()
  return <ScriptPage key={id} id={id} runId={run} />
}
