/** The calls that the API placed and that may still be up, by domain. */
export interface LiveCallStore {
  /**
   * Notes a call and the moment (epoch milliseconds) by which the engine lists it if it is up; `false`, and nothing
   * noted, when the domain then had more than `limit`. One that is noted already gets the new moment.
   */
  put(domain: string, uuid: string, showsBy: number, limit: number): Promise<boolean>
  /** The moment of each noted call of the domain, by uuid. */
  list(domain: string): Promise<ReadonlyMap<string, number>>
  /** Forgets calls. */
  remove(domain: string, uuids: readonly string[]): Promise<void>
}
