import { Gauge, type Registry } from 'prom-client'

/** A gauge whose value is read at each scrape. */
export const readGauge = (
  register: Registry,
  name: string,
  help: string,
  read: () => number | Promise<number>,
): Gauge =>
  new Gauge({
    name,
    help,
    registers: [register],
    async collect() {
      this.set(await read())
    },
  })
