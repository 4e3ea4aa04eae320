import { fdatasyncSync } from 'node:fs'
import { NodeFS } from '@electric-sql/pglite/nodefs'

interface NodeStream {
  nfd: number
}

type PreRun = NonNullable<Parameters<NodeFS['init']>[1]['preRun']>[number]

/**
 * PGlite's folder, but with the fsync that its own one omits, so that an acknowledged commit is on
 * disk. `wal_sync_method=fsync` without `-F` makes PostgreSQL request it.
 */
export class DurableNodeFS extends NodeFS {
  readonly #probe: Int32Array

  constructor(folder: string, probe: Int32Array) {
    super(folder)
    this.#probe = probe
  }

  override async init(...[pg, options]: Parameters<NodeFS['init']>) {
    const probe = this.#probe
    const withSync: PreRun = (module) => {
      const { FS, NODEFS } = module as unknown as EmscriptenFileSystems
      const write = NODEFS.stream_ops.write
      const { mknod, setattr } = NODEFS.node_ops
      // PGlite creates world-readable files, and not every folder around them is private.
      NODEFS.node_ops.mknod = (parent, name, mode, device) =>
        mknod(parent, name, mode & ownerOnly, device)
      NODEFS.node_ops.setattr = (node, attributes) =>
        setattr(node, {
          ...attributes,
          ...(attributes.mode !== undefined && { mode: attributes.mode & ownerOnly }),
        })
      NODEFS.stream_ops.fsync = (stream) => {
        fdatasyncSync(stream.nfd)
        Atomics.add(probe, 0, 1)
        return 0
      }
      NODEFS.stream_ops.write = (...args) => {
        if (Atomics.load(probe, 1) === 1) throw new FS.ErrnoError(enospc)
        return write(...args)
      }
    }
    return super.init(pg, { ...options, preRun: [...(options.preRun ?? []), withSync] })
  }
}

/** Preserves the file type. */
const ownerOnly = ~0o077

/** Emscripten's own number (musl and WASI), not the host's. */
const enospc = 51

interface EmscriptenFileSystems {
  FS: { ErrnoError: new (errno: number) => Error }
  NODEFS: {
    node_ops: {
      mknod: (parent: unknown, name: string, mode: number, device: unknown) => unknown
      setattr: (node: unknown, attributes: { mode?: number }) => unknown
    }
    stream_ops: {
      fsync?: (stream: NodeStream) => number
      write: (...args: unknown[]) => number
    }
  }
}
