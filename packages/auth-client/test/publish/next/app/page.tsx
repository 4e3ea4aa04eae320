import { Visitor } from './visitor.tsx'

export const dynamic = 'force-dynamic'

// oxlint-disable-next-line import/no-default-export -- Next.js finds layouts and pages by it
export default function Page() {
  return (
    <main>
      <Visitor />
    </main>
  )
}
