void f(int number_of_rows_of_the_matrix, int number_of_columns_of_the_matrix, double *restrict values_of_the_matrix)
{
    for (int the_row = 0; the_row < number_of_rows_of_the_matrix; the_row++)
        for (int the_column = 0; the_column < number_of_columns_of_the_matrix; the_column++)
            values_of_the_matrix[the_row * number_of_columns_of_the_matrix + the_column] += values_of_the_matrix[the_row * number_of_columns_of_the_matrix];
}
