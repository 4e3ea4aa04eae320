import type { ScriptItem } from '@grove/contract/maple/program/script'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { momentColumn } from '../../../../ui/table/columns.tsx'
import { ResourceList } from '../../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useResourceList } from '../../../../ui/table/use-resource-list.ts'
import { scripts } from './script.api.ts'

const CreateScript = onDemand(
  () => import('./script.form.tsx').then((file) => file.CreateScript),
  'maple-script',
)

/** The scripts of a service provider; each opens on its own page. */
export function ScriptList() {
  const { t } = useLingui()
  const navigate = useNavigate()
  const columns = useScriptColumns()
  return (
    <ResourceList
      list={useResourceList(scripts)}
      title={t`Scripts`}
      description={t`JavaScript that talks to secure elements: try it on a software card, then run it on many elements.`}
      icon={ScrollText}
      columns={columns}
      rowLabel={({ name }) => name}
      onOpen={({ id }) => void navigate({ to: '/dashboard/maple/scripts/$id', params: { id } })}
      totalText={(count, more) =>
        t`${plural(count, { one: `#${more} script`, other: `#${more} scripts` })}`
      }
      searchLabel={t`Search by name`}
      filters={[]}
      empty={{
        title: t`Write your first script`,
        text: t`Ten lines install an applet. Start from one of ten examples.`,
      }}
      create={{ label: t`New script`, form: CreateScript }}
    />
  )
}

function useScriptColumns(): DataColumn<ScriptItem>[] {
  const { t } = useLingui()
  return [
    {
      id: 'name',
      header: t`Name`,
      isPrimary: true,
      cell: ({ id, name }) => (
        <Link to="/dashboard/maple/scripts/$id" params={{ id }} preload={false} tabIndex={-1}>
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    { id: 'note', header: t`Note`, isSecondary: true, cell: ({ note }) => note || '–' },
    {
      id: 'version',
      header: t({ message: 'Version', context: 'of a script' }),
      phone: 'hidden',
      cell: ({ version, isChanged }) =>
        version === null ? (
          <span className="muted">
            <Trans>Draft only</Trans>
          </span>
        ) : (
          <>
            {version}
            {isChanged && (
              <span className="muted">
                {' · '}
                <Trans>draft differs</Trans>
              </span>
            )}
          </>
        ),
    },
    momentColumn('updatedAt', t`Changed`, { phone: 'hidden' }),
  ]
}
