import { useQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { api } from '../../../session/api.ts'
import { providerName } from '../../../session/provider-name.ts'
import { providersQuery } from '../../../session/providers.ts'
import { tooltip } from '../../../ui/kit/tooltip.ts'
import { Link } from '../../../ui/link/link.tsx'

/** A service provider's name: administrators can see all of them, others only their own. */
export function ServiceName({ id }: { id: string }) {
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  return viewer.isAdmin ? <LinkedName id={id} /> : <OwnName id={id} />
}

function LinkedName({ id }: { id: string }) {
  const { data } = useQuery(api.maple.query('/api/maple/service', { query: { id } }))
  return (
    <Link
      to="/dashboard/maple/providers"
      search={{ provider: id }}
      preload={false}
      {...tooltip(id)}
    >
      <bdi>{data?.items[0]?.name ?? id}</bdi>
    </Link>
  )
}

function OwnName({ id }: { id: string }) {
  const { data = [] } = useQuery(providersQuery)
  const own = data.find((provider) => provider.id === id)
  return <bdi {...tooltip(id)}>{(own && providerName(own)) ?? id}</bdi>
}
