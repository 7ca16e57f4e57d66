using System.Globalization;
using Npgsql;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>
/// A mix like TPC-C's: of 23 transactions ten new orders, ten payments and one each of order status, delivery and stock level (45, 43 and 4 % each in the
/// standard). Statement for statement as small as it can be while it locks what the standard's transactions lock; ten warehouses, 10,000 items, no think times,
/// orders begin empty. Customers and items are drawn from a Pareto distribution: four fifths of the accesses go to a fifth of the rows. Items are taken in
/// ascending order, so that new orders cannot deadlock with each other.
/// </summary>
public sealed class TpcC(string connectionString) : Transactions(connectionString)
{
    private const int Warehouses = 10;
    private const int Districts = 10;
    private const int Customers = 300;
    private const int Items = 10_000;
    private const int FewestLines = 5;
    private const int MostLines = 15;
    private const double HotShare = 0.2;
    private static readonly double s_paretoPower = Math.Log(HotShare) / Math.Log(1 - HotShare);

    /// <summary>Creates and fills the tables.</summary>
    public static string Schema { get; } = string.Create(
        CultureInfo.InvariantCulture,
        $"""
        CREATE TABLE warehouse (w_id int PRIMARY KEY, w_tax int NOT NULL, w_ytd bigint NOT NULL);
        INSERT INTO warehouse SELECT w, w * 13 % 20, 0 FROM generate_series(1, {Warehouses}) w;
        CREATE TABLE district (d_w_id int, d_id int, d_tax int NOT NULL, d_ytd bigint NOT NULL, d_next_o_id int NOT NULL, PRIMARY KEY (d_w_id, d_id));
        INSERT INTO district SELECT w, d, d % 20, 0, 1 FROM generate_series(1, {Warehouses}) w, generate_series(1, {Districts}) d;
        CREATE TABLE customer (c_w_id int, c_d_id int, c_id int, c_discount int NOT NULL, c_balance bigint NOT NULL, c_payments int NOT NULL, c_data text NOT NULL, PRIMARY KEY (c_w_id, c_d_id, c_id));
        INSERT INTO customer SELECT w, d, c, c % 50, 0, 0, repeat(md5(c::text), 8) FROM generate_series(1, {Warehouses}) w, generate_series(1, {Districts}) d, generate_series(1, {Customers}) c;
        CREATE TABLE item (i_id int PRIMARY KEY, i_price int NOT NULL, i_name text NOT NULL);
        INSERT INTO item SELECT i, 100 + i % 9900, md5(i::text) FROM generate_series(1, {Items}) i;
        CREATE TABLE stock (s_w_id int, s_i_id int, s_quantity int NOT NULL, s_ytd int NOT NULL, s_data text NOT NULL, PRIMARY KEY (s_w_id, s_i_id));
        INSERT INTO stock SELECT w, i, 10 + i % 91, 0, md5(i::text) FROM generate_series(1, {Warehouses}) w, generate_series(1, {Items}) i;
        CREATE TABLE orders (o_w_id int, o_d_id int, o_id int, o_c_id int NOT NULL, o_carrier_id int, o_entered timestamptz NOT NULL, PRIMARY KEY (o_w_id, o_d_id, o_id));
        CREATE INDEX ON orders (o_w_id, o_d_id, o_c_id, o_id);
        CREATE TABLE new_order (no_w_id int, no_d_id int, no_o_id int, PRIMARY KEY (no_w_id, no_d_id, no_o_id));
        CREATE TABLE order_line (ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id int NOT NULL, ol_quantity int NOT NULL, ol_amount int NOT NULL, PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number));
        CREATE TABLE payment (p_w_id int, p_d_id int, p_c_id int, p_amount int, p_at timestamptz);
        """);

    /// <summary>Brings the tables into the same state before each round.</summary>
    public const string Reset =
        "TRUNCATE orders, new_order, order_line, payment; UPDATE district SET d_next_o_id = 1; VACUUM ANALYZE warehouse; VACUUM ANALYZE district; VACUUM "
            + "ANALYZE customer; VACUUM ANALYZE stock; VACUUM ANALYZE item;";

    /// <inheritdoc/>
    protected override void RunOnce()
    {
        int warehouse = Random.Shared.Next(1, Warehouses + 1);
        int district = Random.Shared.Next(1, Districts + 1);
        int customer = Hot(Customers);
        using NpgsqlConnection connection = Source.OpenConnection();
        using NpgsqlTransaction transaction = connection.BeginTransaction();
        switch (Random.Shared.Next(23))
        {
            case < 10:
                NewOrder(connection, warehouse, district, customer);
                break;
            case < 20:
                Pay(connection, warehouse, district, customer);
                break;
            case 20:
                OrderStatus(connection, warehouse, district, customer);
                break;
            case 21:
                Deliver(connection, warehouse);
                break;
            default:
                StockLevel(connection, warehouse, district);
                break;
        }

        transaction.Commit();
    }

    private static void NewOrder(NpgsqlConnection connection, int warehouse, int district, int customer)
    {
        Query(connection, "SELECT w_tax FROM warehouse WHERE w_id = $1", warehouse);
        Query(connection, "SELECT c_discount FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3", warehouse, district, customer);
        int order = (int)Query(connection, "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = $1 AND d_id = $2 RETURNING d_next_o_id - 1",
            warehouse, district)!;
        Query(connection, "INSERT INTO orders VALUES ($1, $2, $3, $4, NULL, CURRENT_TIMESTAMP)", warehouse, district, order, customer);
        Query(connection, "INSERT INTO new_order VALUES ($1, $2, $3)", warehouse, district, order);
        int line = 0;
        foreach (int item in ItemsOfOrder())
        {
            int quantity = Random.Shared.Next(1, 11);
            int price = (int)Query(connection, "SELECT i_price FROM item WHERE i_id = $1", item)!;
            Query(connection, "UPDATE stock SET s_quantity = CASE WHEN s_quantity >= $3 + 10 THEN s_quantity - $3 ELSE s_quantity - $3 + 91 END, s_ytd = "
                + "s_ytd + $3 WHERE s_w_id = $1 AND s_i_id = $2", warehouse, item, quantity);
            Query(connection, "INSERT INTO order_line VALUES ($1, $2, $3, $4, $5, $6, $7)", warehouse, district, order, ++line, item, quantity,
                quantity * price);
        }
    }

    private static void Pay(NpgsqlConnection connection, int warehouse, int district, int customer)
    {
        int amount = Random.Shared.Next(100, 500_000);
        Query(connection, "UPDATE warehouse SET w_ytd = w_ytd + $2 WHERE w_id = $1", warehouse, amount);
        Query(connection, "UPDATE district SET d_ytd = d_ytd + $3 WHERE d_w_id = $1 AND d_id = $2", warehouse, district, amount);
        Query(connection, "UPDATE customer SET c_balance = c_balance - $4, c_payments = c_payments + 1 WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3",
            warehouse, district, customer, amount);
        Query(connection, "INSERT INTO payment VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP)", warehouse, district, customer, amount);
    }

    private static void OrderStatus(NpgsqlConnection connection, int warehouse, int district, int customer)
    {
        Query(connection, "SELECT c_balance FROM customer WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3", warehouse, district, customer);
        if (Query(connection, "SELECT o_id FROM orders WHERE o_w_id = $1 AND o_d_id = $2 AND o_c_id = $3 ORDER BY o_id DESC LIMIT 1", warehouse, district,
            customer) is int order)
        {
            ReadAll(connection, "SELECT ol_i_id FROM order_line WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3", warehouse, district, order);
        }
    }

    private static void Deliver(NpgsqlConnection connection, int warehouse)
    {
        const string Oldest =
            "DELETE FROM new_order WHERE (no_w_id, no_d_id, no_o_id) IN (SELECT no_w_id, no_d_id, no_o_id FROM new_order WHERE no_w_id = $1 AND no_d_id = $2 "
                + "ORDER BY no_o_id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING no_o_id";
        for (int district = 1; district <= Districts; district++)
        {
            if (Query(connection, Oldest, warehouse, district) is not int order)
            {
                continue;
            }

            int customer = (int)Query(connection, "UPDATE orders SET o_carrier_id = $4 WHERE o_w_id = $1 AND o_d_id = $2 AND o_id = $3 RETURNING o_c_id",
                warehouse, district, order, 1 + (order % 10))!;
            object? amount = Query(connection, "SELECT SUM(ol_amount)::int FROM order_line WHERE ol_w_id = $1 AND ol_d_id = $2 AND ol_o_id = $3", warehouse,
                district, order);
            Query(connection, "UPDATE customer SET c_balance = c_balance + $4 WHERE c_w_id = $1 AND c_d_id = $2 AND c_id = $3", warehouse, district, customer,
                amount as int? ?? 0);
        }
    }

    private static void StockLevel(NpgsqlConnection connection, int warehouse, int district)
    {
        const string Low =
            "SELECT count(DISTINCT s_i_id) FROM order_line JOIN stock ON s_w_id = ol_w_id AND s_i_id = ol_i_id WHERE ol_w_id = $1 AND ol_d_id = $2 AND "
                + "ol_o_id >= $3 - 20 AND ol_o_id < $3 AND s_quantity < 15";
        int next = (int)Query(connection, "SELECT d_next_o_id FROM district WHERE d_w_id = $1 AND d_id = $2", warehouse, district)!;
        Query(connection, Low, warehouse, district, next);
    }

    /// <summary>As sysbench's "pareto" with its default of 0.2.</summary>
    private static int Hot(int rows) => 1 + (int)(rows * Math.Pow(Random.Shared.NextDouble(), s_paretoPower));

    private static SortedSet<int> ItemsOfOrder()
    {
        SortedSet<int> items = [];
        int lines = Random.Shared.Next(FewestLines, MostLines + 1);
        while (items.Count < lines)
        {
            items.Add(Hot(Items));
        }

        return items;
    }
}
